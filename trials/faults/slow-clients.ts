import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../local/process/free-port.ts'
import { describedApi, describedSignIn } from '../fuzz/described-api.ts'
import { type Outcome, verifyUnderFault } from './crowd.ts'
import { restartableProcess } from './restartable-process.ts'
import type { Scenario, Scene } from './scene.ts'

/** A little longer than a server gives a client to send a request. */
const SENDING_MS = 24_000
/** The same for a client that does not read its answers: Node waits twice where several of them are left unread. */
const READING_MS = 140_000

/**
 * Clients that send one byte every quarter of a second, to every endpoint of every server: a head that never
 * ends, a body that never comes, a WebSocket that never authenticates.
 */
export async function slowSenders(scene: Scene): Promise<Outcome> {
  const { baseUrl, authUrl } = scene.facts
  const pricesUrl = await restartWithPricesPort(baseUrl)
  const api = await describedApi(baseUrl)
  const signIn = await describedSignIn(authUrl)
  const sockets = [
    ...endpointsOf(api.paths).flatMap((endpoint) => openSlowRequests(baseUrl, endpoint)),
    ...endpointsOf(signIn.paths).flatMap((endpoint) => openSlowRequests(authUrl, endpoint)),
    ...openSlowRequests(pricesUrl, 'GET /public/v1/miniapps/prices'),
    ...slowWebSockets(baseUrl),
  ]
  return holdConnections(scene, sockets, SENDING_MS)
}

/** Clients that send thousands of requests at once, for more than a connection can buffer, and read nothing. */
export function slowReaders(scene: Scene): Promise<Outcome> {
  const { baseUrl, authUrl } = scene.facts
  const sockets = Array.from({ length: 20 }, () => [
    openDeafSocket(baseUrl, '/openapi.json', 30),
    openDeafSocket(baseUrl, '/openapi.json', 5_000),
    openDeafSocket(authUrl, '/.well-known/openid-configuration', 5_000),
  ])
  return holdConnections(scene, sockets.flat(), READING_MS)
}

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'

/** Three thousand silent connections at once, to one of the servers. */
export function connectionStorm(server: 'baseUrl' | 'authUrl' | 'hasura'): Scenario {
  return (scene) => {
    const { hasura, ...facts } = scene.facts
    const url = server === 'hasura' ? hasura.endpoint : facts[server]
    return verifyUnderFault(scene.facts, scene, async () => {
      const sockets = Array.from({ length: 3_000 }, () => openSocket(url))
      await sleep(1_500)
      await requireAnswer(url)
      for (const socket of sockets) socket.destroy()
    })
  }
}

/** Other callers must be answered while the connections are open. */
async function requireAnswer(url: string) {
  const { status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) })
  if (status !== 200) throw new Error(`${url} answered ${status} during the storm`)
}

/** People verify meanwhile; at the end the servers must have closed every connection. */
async function holdConnections(scene: Scene, sockets: Socket[], ms: number): Promise<Outcome> {
  const outcome = await verifyUnderFault(scene.facts, { ...scene, size: 200 }, () => sleep(ms))
  // A client that does not read notices that the other end is gone only by sending: at the second piece.
  for (let piece = 0; piece < 2; piece++) {
    for (const socket of sockets) if (socket.writable) socket.write(REQUEST)
    await sleep(500)
  }
  const left = sockets.filter((socket) => !socket.destroyed).length
  for (const socket of sockets) socket.destroy()
  if (left > 0)
    throw new Error(
      `${left} of ${sockets.length} slow clients still hold a connection after ${ms} ms`,
    )
  return outcome
}

/** Restarts the developer API as it was, with a port for prices only. */
async function restartWithPricesPort(baseUrl: string): Promise<string> {
  const port = await freePort()
  const api = restartableProcess('webhooks/server.ts')
  api.kill()
  await api.restart({ PRICES_PORT: String(port) })
  while (!(await fetch(`${baseUrl}/readyz`).catch(() => null))?.ok) await sleep(20)
  return `http://127.0.0.1:${port}`
}

function endpointsOf(paths: Readonly<Record<string, object>>): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/[{}]/g, '')}`),
  )
}

function openSlowRequests(url: string, endpoint: string): Socket[] {
  const head = `${endpoint} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`
  const body = `${head}content-length: 90000\r\n\r\n`
  return [head, head, body, body].map((start) => openDrippingSocket(url, Buffer.from(start)))
}

/** One says nothing once it is open; another's first message, of 60,000 bytes, comes byte by byte. */
function slowWebSockets(url: string): Socket[] {
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

function openDeafSocket(url: string, path: string, times: number): Socket {
  const socket = openSocket(url).pause()
  socket.write(REQUEST.replace('/', path).repeat(times))
  return socket
}

function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname).on('error', () => {})
}
