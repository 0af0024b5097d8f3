import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { Sockets } from '../../../lib/runtime/http/serve.ts'
import { createCredentialGate } from '../../../lib/runtime/limits/credential-gate.ts'
import { createLoopShare } from '../../../lib/runtime/limits/loop-share.ts'
import { createLogger } from '../../../lib/runtime/log/log.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { openSocket } from '../../../packages/engine/test/support/socket.ts'
import { createCallerNames } from '../../../webhooks/credentials/caller-names.ts'
import { forwardSockets } from '../../../webhooks/proxy/sockets/forward-sockets.ts'

type Forwarder = { server: Server; sockets: Sockets; url: string }
/** A fake Hasura. The tests control its side of each connection. */
let hasura: WebSocketServer
let forwarder: Forwarder
/** A forwarder with an idle timeout of a second. */
let hastyForwarder: Forwarder

beforeAll(async () => {
  hasura = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(hasura, 'listening')
  const endpoint = `http://127.0.0.1:${Object(hasura.address()).port}`
  forwarder = await startForwarder(endpoint, 60_000)
  hastyForwarder = await startForwarder(endpoint, 1_000)
})
afterAll(() => {
  hasura.close()
  forwarder.server.close()
  hastyForwarder.server.close()
})

async function startForwarder(endpoint: string, idleMs: number): Promise<Forwarder> {
  const log = createLogger('test', 'silent')
  const sockets = forwardSockets({
    endpoint,
    baseUrl: 'http://localhost:3000',
    timeoutMs: 30_000,
    idleMs,
    trustedProxyHops: 0,
    gate: createCredentialGate(),
    callers: createCallerNames(async () => null),
    loop: createLoopShare(),
    log,
  })
  const server = createServer().on('upgrade', sockets.upgrade).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, sockets, url: `http://127.0.0.1:${Object(server.address()).port}` }
}

/** Opens a client, and returns it with Hasura's side of its connection. */
async function pair(headers: Record<string, string> = {}, { url } = forwarder) {
  const accepted = new Promise<{ ws: WebSocket; headers: IncomingHttpHeaders }>((resolve) =>
    hasura.once('connection', (ws, request) => resolve({ ws, headers: request.headers })),
  )
  const client = await openSocket(url, 'graphql-transport-ws', headers)
  const upstream = await accepted
  return { client, upstream, nextMessage: () => messageOf(upstream.ws) }
}

test("Hasura gets the request id of a client's upgrade request, and none of its other headers", async () => {
  const { client, upstream } = await pair({
    'x-request-id': 'mine',
    'x-hasura-role': 'admin',
    cookie: 'a=b',
    authorization: 'Bearer x',
  })
  expect(upstream.headers['x-request-id']).toBe('mine')
  const names = Object.keys(upstream.headers).filter((name) => !name.startsWith('sec-websocket'))
  expect(names.sort()).toEqual(['connection', 'host', 'upgrade', 'x-request-id'])
  client.ws.terminate()
})

test('a message with two types is checked and forwarded with the first type only', async () => {
  const { client, nextMessage } = await pair()
  const message = nextMessage()
  client.send('{"type":"ping","type":"connection_init"}')
  expect(await message).toBe('{"type":"ping"}')
  client.ws.terminate()
})

test.each([
  [
    'a second type',
    '{"type":"connection_init","type":"ping","payload":{"headers":{"x-hasura-admin-secret":"s"}}}',
  ],
  [
    'an escaped type',
    '{"type":"connection\\u005finit","payload":{"headers":{"x-hasura-admin-secret":"s"}}}',
  ],
  ['no headers', '{"type":"connection_init","payload":{"headers":"x"}}'],
  ['no payload', '{"type":"connection_init"}'],
])('connection_init with %s is rewritten', async (_name, text) => {
  const { client, nextMessage } = await pair({ authorization: 'Bearer k' })
  const message = nextMessage()
  client.send(text)
  expect(await message).toBe(
    '{"type":"connection_init","payload":{"headers":{"Authorization":"Bearer k"}}}',
  )
  client.ws.terminate()
})

test('every other message is forwarded with all its digits and names', async () => {
  const text =
    '{"type":"subscribe","id":"1","payload":{"query":"{ a }","variables":{"n":12345678901234567890.10,"__proto__":{"e":1e400}}}}'
  const { client, nextMessage } = await pair()
  const message = nextMessage()
  client.send(text)
  expect(await message).toBe(text)
  client.ws.terminate()
})

test.each([
  ['text that is not JSON', 'nonsense', 4400],
  ['a list', '[]', 4400],
  ['a binary message', Buffer.from('{"type":"ping"}'), 4400],
  [
    'a message above the size limit',
    JSON.stringify({ type: 'ping', payload: 'x'.repeat(1_000_000) }),
    1009,
  ],
  [
    'deeply nested lists',
    `{"type":"ping","payload":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
    4400,
  ],
])('%s closes both sides of a connection', async (_name, message, code) => {
  const { client, upstream } = await pair()
  const closeEvent = once(upstream.ws, 'close')
  client.ws.send(message)
  expect(await client.closed).toMatchObject({ code })
  await closeEvent
})

test('the close code and reason of either side are forwarded to the other', async () => {
  const first = await pair()
  first.upstream.ws.close(1012, 'Server state changed')
  expect(await first.client.closed).toEqual({ code: 1012, reason: 'Server state changed' })
  const second = await pair()
  const closeEvent = once(second.upstream.ws, 'close')
  second.client.ws.close(4321, 'enough')
  expect(await closeEvent).toEqual([4321, Buffer.from('enough')])
  const third = await pair()
  third.upstream.ws.close(4403, 'Forbidden')
  expect(await third.client.closed).toEqual({ code: 4403, reason: 'Forbidden' })
})

test('a broken connection on one side closes the other side', async () => {
  const first = await pair()
  first.upstream.ws.terminate()
  expect(await first.client.closed).toMatchObject({ code: 1012 })
  const second = await pair()
  const closeEvent = once(second.upstream.ws, 'close')
  second.client.ws.terminate()
  await closeEvent
})

test('messages that a client does not read are not read from Hasura either', async () => {
  const { client, upstream } = await pair()
  client.send({ type: 'connection_init' })
  client.ws.pause()
  const message = JSON.stringify({ type: 'next', id: '1', payload: 'x'.repeat(100_000) })
  for (let i = 0; i < 400; i++) upstream.ws.send(message)
  let bufferedBefore = Number.POSITIVE_INFINITY
  while (upstream.ws.bufferedAmount < bufferedBefore) {
    bufferedBefore = upstream.ws.bufferedAmount
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  // Hasura has sent 40 MB. The buffers of the kernel and the forwarder hold less than 30 MB of them, so
  // Hasura's side cannot send the rest.
  expect(upstream.ws.bufferedAmount).toBeGreaterThan(10_000_000)
  client.ws.resume()
  for (let i = 0; i < 400; i++) expect((await client.next()).type).toBe('next')
  client.ws.terminate()
})

test('a silent client is closed with 4408, and the connection of a vanished client is cut', async () => {
  const { client } = await pair({}, hastyForwarder)
  expect(await client.closed).toMatchObject({ code: 4408 })
  const other = await pair({}, hastyForwarder)
  other.client.send({ type: 'connection_init' })
  const closeEvent = once(other.upstream.ws, 'close')
  other.client.ws.pause()
  await closeEvent
  other.client.ws.terminate()
})

test.each([['/v1/graphql/x'], ['/'], ['/api/v2/verify']])(
  'a WebSocket at %s gets 404',
  async (path) => {
    const ws = new WebSocket(`${forwarder.url.replace('http', 'ws')}${path}`)
    expect(String((await once(ws, 'error'))[0])).toContain('404')
  },
)

test.each([
  ['of another version', { 'sec-websocket-version': '99' }],
  ['without a key', { 'sec-websocket-key': '' }],
])('an upgrade %s gets 400, and its socket to Hasura is closed', async (_name, wrong) => {
  const connection = once(hasura, 'connection')
  const headers = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  }
  const upgradeRequest = request(`${forwarder.url}/v1/graphql`, {
    headers: { ...headers, ...wrong },
  }).end()
  const [{ statusCode }] = await once(upgradeRequest, 'response')
  expect(statusCode).toBe(400)
  const [upstream] = await connection
  if (upstream.readyState !== upstream.CLOSED) await once(upstream, 'close')
})

test('a client gets 1013 while Hasura is down', async () => {
  const lonelyForwarder = await startForwarder(`http://127.0.0.1:${await freePort()}`, 60_000)
  const ws = await openSocket(lonelyForwarder.url, 'graphql-transport-ws')
  expect(await ws.closed).toEqual({ code: 1013, reason: 'Hasura is unavailable' })
  lonelyForwarder.server.close()
})

test('a stopping server closes both sides of every connection, including those still opening and later ones', async () => {
  const { server, sockets, url } = forwarder
  const { client, upstream } = await pair()
  const closeEvent = once(upstream.ws, 'close')
  const upgradeRequest = once(server, 'upgrade')
  const openingSocket = openSocket(url, 'graphql-transport-ws')
  await upgradeRequest
  sockets.close()
  expect(await client.closed).toMatchObject({ code: 1001 })
  expect(await closeEvent).toMatchObject([1001, expect.anything()])
  expect(await (await openingSocket).closed).toMatchObject({ code: 1001 })
  const lateSocket = await openSocket(url, 'graphql-transport-ws')
  expect(await lateSocket.closed).toMatchObject({ code: 1001 })
})

async function messageOf(ws: WebSocket): Promise<string> {
  const [data] = await once(ws, 'message')
  return String(data)
}
