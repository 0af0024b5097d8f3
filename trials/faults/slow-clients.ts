import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../local/process/free-port.ts'
import { readApiDocument, readSignInDocument } from '../fuzz/openapi-documents.ts'
import { findRestartableProcess } from './restartable-process.ts'
import type { Scenario, TestedPlatform } from './scenario.ts'
import { type Outcome, verifyUnderFault } from './verify-people.ts'

/** A little longer than the servers' limit for receiving a request. */
const SLOW_SENDING_MS = 24_000
/**
 * A little longer than the servers wait for a client that does not read: 65 seconds, or twice as long if several responses are
 * unread.
 */
const NOT_READING_MS = 140_000

/**
 * Opens clients that send one byte every quarter of a second to every endpoint of the developer API and the sign-in server, and
 * to the port for prices. Their headers never end, their bodies never arrive, or their WebSockets never authenticate.
 */
export async function testSlowSenders(platform: TestedPlatform): Promise<Outcome> {
  const { baseUrl, authUrl } = platform.facts
  const pricesUrl = await restartWithPricesPort(baseUrl)
  const api = await readApiDocument(baseUrl)
  const signIn = await readSignInDocument(authUrl)
  const sockets = [
    ...listEndpoints(api.paths).flatMap((endpoint) => openSlowRequests(baseUrl, endpoint)),
    ...listEndpoints(signIn.paths).flatMap((endpoint) => openSlowRequests(authUrl, endpoint)),
    ...openSlowRequests(pricesUrl, 'GET /public/v1/miniapps/prices'),
    ...openSlowWebSockets(baseUrl),
  ]
  return requireConnectionsClosed(platform, sockets, SLOW_SENDING_MS)
}

/** Opens clients that send 30 or 5,000 requests at once and read nothing. The responses exceed the connections' buffers. */
export function testSlowReaders(platform: TestedPlatform): Promise<Outcome> {
  const { baseUrl, authUrl } = platform.facts
  const sockets = Array.from({ length: 20 }, () => [
    openUnreadSocket(baseUrl, '/openapi.json', 30),
    openUnreadSocket(baseUrl, '/openapi.json', 5_000),
    openUnreadSocket(authUrl, '/.well-known/openid-configuration', 5_000),
  ])
  return requireConnectionsClosed(platform, sockets.flat(), NOT_READING_MS)
}

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'

/** Creates a scenario with three thousand idle connections to one server. */
export function createConnectionStorm(server: 'baseUrl' | 'authUrl' | 'hasura'): Scenario {
  return (platform) => {
    const { hasura, ...facts } = platform.facts
    const url = server === 'hasura' ? hasura.endpoint : facts[server]
    return verifyUnderFault(platform.facts, platform, async () => {
      const sockets = Array.from({ length: 3_000 }, () => openSocket(url))
      await sleep(1_500)
      await requireAnswer(url)
      for (const socket of sockets) socket.destroy()
    })
  }
}

/** Requires a response to another caller while the connections are open. */
async function requireAnswer(url: string) {
  const { status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) })
  if (status !== 200) throw new Error(`${url} answered ${status} during the storm`)
}

/** Verifies people while the connections are open. After `ms`, the servers must have closed every connection. */
async function requireConnectionsClosed(
  platform: TestedPlatform,
  sockets: Socket[],
  ms: number,
): Promise<Outcome> {
  const outcome = await verifyUnderFault(platform.facts, { ...platform, size: 200 }, () =>
    sleep(ms),
  )
  // A client that does not read notices the closed connection only by its second write.
  for (let attempt = 0; attempt < 2; attempt++) {
    for (const socket of sockets) if (socket.writable) socket.write(REQUEST)
    await sleep(500)
  }
  const openCount = sockets.filter((socket) => !socket.destroyed).length
  for (const socket of sockets) socket.destroy()
  if (openCount > 0)
    throw new Error(
      `${openCount} of ${sockets.length} slow clients still have a connection after ${ms} ms`,
    )
  return outcome
}

/** Restarts the developer API with an additional port for prices. */
async function restartWithPricesPort(baseUrl: string): Promise<string> {
  const port = await freePort()
  const api = findRestartableProcess('webhooks/server.ts')
  api.kill()
  await api.restart({ PRICES_PORT: String(port) })
  while (!(await fetch(`${baseUrl}/readyz`).catch(() => null))?.ok) await sleep(20)
  return `http://127.0.0.1:${port}`
}

function listEndpoints(paths: Readonly<Record<string, object>>): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/[{}]/g, '')}`),
  )
}

function openSlowRequests(url: string, endpoint: string): Socket[] {
  const head = `${endpoint} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`
  const body = `${head}content-length: 90000\r\n\r\n`
  return [head, head, body, body].map((start) => openDrippingSocket(url, Buffer.from(start)))
}

/** Opens WebSockets: ten stay silent, and ten send a first message of 60,000 bytes byte by byte. */
function openSlowWebSockets(url: string): Socket[] {
  const upgrade = Buffer.from(
    [
      'GET /v1/graphql HTTP/1.1',
      'host: x',
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-protocol: graphql-transport-ws',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      '\r\n',
    ].join('\r\n'),
  )
  const length = Buffer.from([0x81, 0xfe, 0xea, 0x60, 0, 0, 0, 0])
  const silent = Array.from({ length: 10 }, () => openSocket(url))
  for (const socket of silent) socket.resume().write(upgrade)
  const slow = Array.from({ length: 10 }, () =>
    openDrippingSocket(url, Buffer.concat([upgrade, length])),
  )
  return [...silent, ...slow]
}

function openDrippingSocket(url: string, start: Buffer): Socket {
  const socket = openSocket(url).resume()
  socket.write(start)
  const timer = setInterval(() => socket.writable && socket.write('x'), 250)
  socket.once('close', () => clearInterval(timer))
  return socket
}

function openUnreadSocket(url: string, path: string, times: number): Socket {
  const socket = openSocket(url).pause()
  socket.write(REQUEST.replace('/', path).repeat(times))
  return socket
}

function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname).on('error', () => {})
}
