import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { Sockets } from '../../../lib/http/serve.ts'
import { credentialGate } from '../../../lib/limits/credential-gate.ts'
import { createLogger } from '../../../lib/telemetry/log.ts'
import { freePort } from '../../../platform/processes/free-ports.ts'
import { knownCallers } from '../../../webhooks/credentials/known-callers.ts'
import { forwardSockets } from '../../../webhooks/proxy/forward-sockets.ts'
import { socket } from '../../support/engine/socket.ts'
import {
  ADMIN_SECRET,
  startTestPlatform,
  type TestPlatform,
} from '../../support/webhooks/start-platform.ts'

const TEAM = '{ team { id } }'

describe('to Hasura', () => {
  let platform: TestPlatform
  let mine: Awaited<ReturnType<TestPlatform['team']>>

  beforeAll(async () => {
    platform = await startTestPlatform({ WEBSOCKET_SESSION_SECONDS: '12' }, () => ({
      HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    }))
    mine = await platform.team()
  })
  afterAll(() => platform.stop())

  test('a client of graphql-ws asks, and is told when rows change', async () => {
    const client = createClient({
      url: `${platform.baseUrl.replace('http', 'ws')}/v1/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { headers: { Authorization: `Bearer ${mine.apiKey}` } },
    })
    const names = client.iterate({ query: 'subscription { app { name } }' })
    expect((await names.next()).value).toEqual({ data: { app: [] } })
    await platform.app({ team: mine })
    expect((await names.next()).value).toEqual({ data: { app: [{ name: 'App' }] } })
    await names.return?.()
    const { value } = await client.iterate({ query: TEAM }).next()
    expect(value).toEqual({ data: { team: [{ id: mine.id }] } })
    await client.dispose()
  })

  test.each([
    [
      'of the upgrade',
      'graphql-transport-ws',
      (key: string) => ({ upgrade: key, init: undefined }),
    ],
    [
      'of connection_init',
      'graphql-transport-ws',
      (key: string) => ({ upgrade: undefined, init: key }),
    ],
    ['of both, the latter', 'graphql-ws', (key: string) => ({ upgrade: 'api_wrong', init: key })],
  ])('the API key %s counts (%s)', async (_name, protocol, place) => {
    const { upgrade, init } = place(mine.apiKey)
    const ws = await socket(platform.baseUrl, protocol, bearer(upgrade))
    ws.send({ type: 'connection_init', payload: { headers: bearer(init) } })
    expect(await ws.next()).toEqual({ type: 'connection_ack' })
    const start = protocol === 'graphql-ws' ? 'start' : 'subscribe'
    ws.send({ type: start, id: '1', payload: { query: TEAM } })
    expect(await ws.next()).toMatchObject({ payload: { data: { team: [{ id: mine.id }] } } })
    expect(await ws.next()).toEqual({ type: 'complete', id: '1' })
    ws.ws.terminate()
  })

  test('an operation that costs too much, and the 21st of a socket, are refused; the others go on', async () => {
    const ws = await socket(platform.baseUrl, 'graphql-transport-ws', bearer(mine.apiKey))
    ws.send({ type: 'connection_init' })
    expect(await ws.next()).toEqual({ type: 'connection_ack' })
    const endless = `{app(where:${'{_and:['.repeat(5_000)}${']}'.repeat(5_000)}){id}}`
    ws.send({ type: 'subscribe', id: 'endless', payload: { query: endless } })
    expect(await ws.next()).toMatchObject({
      id: 'endless',
      type: 'error',
      payload: [{ message: expect.stringContaining('nested too deeply') }],
    })
    const live = { query: 'subscription { team { id } }' }
    for (let n = 1; n <= 21; n++) ws.send({ type: 'subscribe', id: String(n), payload: live })
    const messages = []
    for (let n = 1; n <= 21; n++) messages.push(await ws.next())
    expect(messages.filter(({ type }) => type === 'error')).toMatchObject([
      { id: '21', payload: [{ extensions: { code: 'start-failed' } }] },
    ])
    ws.send({ type: 'complete', id: '1' })
    ws.send({ type: 'subscribe', id: '22', payload: live })
    expect(await ws.next()).toMatchObject({ id: '22', type: 'next' })
    ws.ws.terminate()
  })

  test.each([
    ['nothing', {}, {}],
    ['the admin secret', {}, { 'x-hasura-admin-secret': ADMIN_SECRET }],
    ['the admin secret in other letters', {}, { 'X-Hasura-ADMIN-Secret': ADMIN_SECRET }],
    ['the older name of it', {}, { 'x-hasura-access-key': ADMIN_SECRET }],
    ['the admin secret at the upgrade', { 'x-hasura-admin-secret': ADMIN_SECRET }, {}],
    ['a role of its own', { 'x-hasura-role': 'admin' }, { 'x-hasura-role': 'service' }],
    ['a wrong key', {}, { authorization: 'Bearer api_wrong' }],
  ])('%s admits nobody', async (_name, upgrade, init) => {
    const ws = await socket(platform.baseUrl, 'graphql-transport-ws', upgrade)
    ws.send({ type: 'connection_init', payload: { headers: init } })
    expect(await ws.closed).toMatchObject({ code: 4403 })
  })

  test("with a key, the client's own session variables are ignored", async () => {
    const theirs = await platform.team()
    const ws = await socket(platform.baseUrl, 'graphql-transport-ws', {})
    const claims = {
      'x-hasura-admin-secret': ADMIN_SECRET,
      'x-hasura-role': 'admin',
      'x-hasura-team-id': theirs.id,
    }
    ws.send({
      type: 'connection_init',
      payload: { headers: { ...bearer(mine.apiKey), ...claims }, ...claims },
    })
    expect(await ws.next()).toEqual({ type: 'connection_ack' })
    ws.send({ type: 'subscribe', id: '1', payload: { query: TEAM } })
    expect(await ws.next()).toMatchObject({ payload: { data: { team: [{ id: mine.id }] } } })
    ws.ws.terminate()
  })

  test('a live query of a revoked key ends when its time is over, and does not begin again', async () => {
    const team = await platform.team()
    const ws = await socket(platform.baseUrl, 'graphql-transport-ws', bearer(team.apiKey))
    ws.send({ type: 'connection_init' })
    await ws.next()
    ws.send({ type: 'subscribe', id: '1', payload: { query: `subscription ${TEAM}` } })
    expect(await ws.next()).toMatchObject({ type: 'next' })
    await platform.db.query('update api_key set is_active = false where id = $1', [team.keyId])
    expect(await ws.closed).toMatchObject({ code: 1012 })
    const again = await socket(platform.baseUrl, 'graphql-transport-ws', bearer(team.apiKey))
    again.send({ type: 'connection_init' })
    expect(await again.closed).toMatchObject({ code: 4403 })
  })
})

/** A fake Hasura: records what it gets, and does what the test says. */
describe('between two sockets', () => {
  type Between = { server: Server; sockets: Sockets; url: string }
  let hasura: WebSocketServer
  let patient: Between
  /** An instance with a short idle time-out. */
  let hasty: Between

  beforeAll(async () => {
    hasura = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(hasura, 'listening')
    const endpoint = `http://127.0.0.1:${Object(hasura.address()).port}`
    patient = await between(endpoint, 60_000)
    hasty = await between(endpoint, 1_000)
  })
  afterAll(() => {
    hasura.close()
    patient.server.close()
    hasty.server.close()
  })

  async function between(endpoint: string, idleMs: number): Promise<Between> {
    const log = createLogger('test', 'silent')
    const sockets = forwardSockets({
      endpoint,
      baseUrl: 'http://localhost:3000',
      timeoutMs: 30_000,
      idleMs,
      trustedProxyHops: 0,
      gate: credentialGate(),
      callers: knownCallers(async () => null),
      log,
    })
    const server = createServer().on('upgrade', sockets.upgrade).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { server, sockets, url: `http://127.0.0.1:${Object(server.address()).port}` }
  }

  /** A client, and Hasura's end of it. */
  async function pair(headers: Record<string, string> = {}, { url } = patient) {
    const accepted = new Promise<{ ws: WebSocket; headers: IncomingHttpHeaders }>((resolve) =>
      hasura.once('connection', (ws, request) => resolve({ ws, headers: request.headers })),
    )
    const client = await socket(url, 'graphql-transport-ws', headers)
    const upstream = await accepted
    return { client, upstream, heard: () => heardBy(upstream.ws) }
  }

  test("Hasura sees nothing of the upgrade's headers but the request's id", async () => {
    const { client, upstream } = await pair({
      'x-request-id': 'mine',
      'x-hasura-role': 'admin',
      cookie: 'a=b',
      authorization: 'Bearer x',
    })
    expect(upstream.headers['x-request-id']).toBe('mine')
    const known = Object.keys(upstream.headers).filter((name) => !name.startsWith('sec-websocket'))
    expect(known.sort()).toEqual(['connection', 'host', 'upgrade', 'x-request-id'])
    client.ws.terminate()
  })

  test('of a message with two types, the first is judged and passed on, alone', async () => {
    const { client, heard } = await pair()
    const told = heard()
    client.send('{"type":"ping","type":"connection_init"}')
    expect(await told).toBe('{"type":"ping"}')
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
  ])('connection_init with %s is written anew', async (_name, text) => {
    const { client, heard } = await pair({ authorization: 'Bearer k' })
    const told = heard()
    client.send(text)
    expect(await told).toBe(
      '{"type":"connection_init","payload":{"headers":{"Authorization":"Bearer k"}}}',
    )
    client.ws.terminate()
  })

  test('everything else goes on with every digit and name that it has', async () => {
    const text =
      '{"type":"subscribe","id":"1","payload":{"query":"{ a }","variables":{"n":12345678901234567890.10,"__proto__":{"e":1e400}}}}'
    const { client, heard } = await pair()
    const told = heard()
    client.send(text)
    expect(await told).toBe(text)
    client.ws.terminate()
  })

  test.each([
    ['text that is no JSON', 'nonsense', 4400],
    ['a list', '[]', 4400],
    ['bytes', Buffer.from('{"type":"ping"}'), 4400],
    ['too much', JSON.stringify({ type: 'ping', payload: 'x'.repeat(1_000_000) }), 1009],
    [
      'lists in lists',
      `{"type":"ping","payload":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
      4400,
    ],
  ])('%s ends both sides', async (_name, message, code) => {
    const { client, upstream } = await pair()
    const ended = once(upstream.ws, 'close')
    client.ws.send(message)
    expect(await client.closed).toMatchObject({ code })
    await ended
  })

  test('the code and reason of either side reach the other', async () => {
    const first = await pair()
    first.upstream.ws.close(1012, 'Server state changed')
    expect(await first.client.closed).toEqual({ code: 1012, reason: 'Server state changed' })
    const second = await pair()
    const ended = once(second.upstream.ws, 'close')
    second.client.ws.close(4321, 'enough')
    expect(await ended).toEqual([4321, Buffer.from('enough')])
    const third = await pair()
    third.upstream.ws.close(4403, 'Forbidden')
    expect(await third.client.closed).toEqual({ code: 4403, reason: 'Forbidden' })
  })

  test('a side that breaks off ends the other', async () => {
    const first = await pair()
    first.upstream.ws.terminate()
    expect(await first.client.closed).toMatchObject({ code: 1012 })
    const second = await pair()
    const ended = once(second.upstream.ws, 'close')
    second.client.ws.terminate()
    await ended
  })

  test('what a client does not read is not read from Hasura either', async () => {
    const { client, upstream } = await pair()
    client.send({ type: 'connection_init' })
    client.ws.pause()
    const message = JSON.stringify({ type: 'next', id: '1', payload: 'x'.repeat(100_000) })
    for (let i = 0; i < 400; i++) upstream.ws.send(message)
    let before = Number.POSITIVE_INFINITY
    while (upstream.ws.bufferedAmount < before) {
      before = upstream.ws.bufferedAmount
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    // Of forty megabytes: what the two sockets of the system and the one between them do not hold.
    expect(upstream.ws.bufferedAmount).toBeGreaterThan(10_000_000)
    client.ws.resume()
    for (let i = 0; i < 400; i++) expect((await client.next()).type).toBe('next')
    client.ws.terminate()
  })

  test('a client that says nothing is told so, and one that is gone without a word is cut off', async () => {
    const { client } = await pair({}, hasty)
    expect(await client.closed).toMatchObject({ code: 4408 })
    const other = await pair({}, hasty)
    other.client.send({ type: 'connection_init' })
    const ended = once(other.upstream.ws, 'close')
    other.client.ws.pause()
    await ended
    other.client.ws.terminate()
  })

  test.each([['/v1/graphql/x'], ['/'], ['/api/v2/verify']])('%s is no socket', async (path) => {
    const ws = new WebSocket(`${patient.url.replace('http', 'ws')}${path}`)
    expect(String((await once(ws, 'error'))[0])).toContain('404')
  })

  test.each([
    ['of another version', { 'sec-websocket-version': '99' }],
    ['without a key', { 'sec-websocket-key': '' }],
  ])('an upgrade %s is refused, and leaves no socket to Hasura', async (_name, wrong) => {
    const opened = once(hasura, 'connection')
    const headers = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    }
    const asked = request(`${patient.url}/v1/graphql`, { headers: { ...headers, ...wrong } }).end()
    const [{ statusCode }] = await once(asked, 'response')
    expect(statusCode).toBe(400)
    const [upstream] = await opened
    if (upstream.readyState !== upstream.CLOSED) await once(upstream, 'close')
  })

  test('while Hasura is away, a client is told to try again later', async () => {
    const lonely = await between(`http://127.0.0.1:${await freePort()}`, 60_000)
    const ws = await socket(lonely.url, 'graphql-transport-ws')
    expect(await ws.closed).toEqual({ code: 1013, reason: 'Hasura is away' })
    lonely.server.close()
  })

  test('a server that stops says so to both sides, of what is still to open too, and takes no more', async () => {
    const { server, sockets, url } = patient
    const { client, upstream } = await pair()
    const ended = once(upstream.ws, 'close')
    const asked = once(server, 'upgrade')
    const opening = socket(url, 'graphql-transport-ws')
    await asked
    sockets.close()
    expect(await client.closed).toMatchObject({ code: 1001 })
    expect(await ended).toMatchObject([1001, expect.anything()])
    expect(await (await opening).closed).toMatchObject({ code: 1001 })
    const late = new WebSocket(`${url.replace('http', 'ws')}/v1/graphql`)
    expect(String((await once(late, 'error'))[0])).toContain('503')
  })
})

function bearer(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { Authorization: `Bearer ${key}` }
}

async function heardBy(ws: WebSocket): Promise<string> {
  const [data] = await once(ws, 'message')
  return String(data)
}
