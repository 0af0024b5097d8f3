import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReadySocket, openSocket } from '../support/socket.ts'
import { type SocketScene, startSocketScene } from '../support/socket-scene.ts'
import { ADMIN_SECRET } from '../support/start-engine.ts'

let scene: SocketScene

beforeAll(async () => {
  scene = await startSocketScene()
})
afterAll(() => scene.stop())

test('a socket accepts at most 40 operations at a time', async () => {
  const ws = await openReadySocket(scene.url)
  const query = 'subscription { note { id } }'
  for (let i = 0; i < 40; i++) ws.send({ type: 'subscribe', id: `${i}`, payload: { query } })
  for (let i = 0; i < 40; i++) expect((await ws.next()).type).toBe('next')
  ws.send({ type: 'subscribe', id: 'more', payload: { query } })
  expect(await ws.next()).toMatchObject({
    type: 'error',
    id: 'more',
    payload: [{ extensions: { code: 'start-failed' } }],
  })
  expect(await ws.next()).toEqual({ type: 'complete', id: 'more' })
  ws.send({ type: 'complete', id: '7' })
  ws.send({ type: 'subscribe', id: 'more', payload: { query } })
  expect(await ws.next()).toMatchObject({ type: 'next', id: 'more' })
  ws.ws.terminate()
})

test('numbers in variables on a socket keep their digits', async () => {
  const ws = await openReadySocket(scene.url)
  const query = 'query ($n: numeric!) { note(where: {big: {_eq: $n}}) { id } }'
  ws.send(
    `{"type":"subscribe","id":"1","payload":{"query":"${query}","variables":{"n":12345678901234567890.1}}}`,
  )
  expect(await ws.next()).toMatchObject({ payload: { data: { note: [{ id: 99 }] } } })
  ws.ws.terminate()
})

test.each([0, null, ['user']])(
  'a header with the value %j closes the connection',
  async (value) => {
    const init = {
      type: 'connection_init',
      payload: { headers: { 'x-hasura-admin-secret': ADMIN_SECRET, 'x-case': value } },
    }
    const olderSocket = await openSocket(scene.url, 'graphql-ws')
    olderSocket.send(init)
    expect(await olderSocket.next()).toMatchObject({ type: 'connection_error' })
    const ws = await openSocket(scene.url, 'graphql-transport-ws')
    ws.send(init)
    expect(await ws.closed).toMatchObject({ code: 4400 })
  },
)

test('a header in two spellings with different values is rejected', async () => {
  const init = (...headers: [string, string][]) => ({
    type: 'connection_init',
    payload: { headers: Object.fromEntries(headers) },
  })
  const secret: [string, string] = ['x-hasura-admin-secret', ADMIN_SECRET]
  const conflictingInit = init(secret, ['X-Hasura-Role', 'user'], ['x-hasura-role', 'editor'])
  const olderSocket = await openSocket(scene.url, 'graphql-ws')
  olderSocket.send(conflictingInit)
  expect(await olderSocket.next()).toMatchObject({ type: 'connection_error' })
  const ws = await openSocket(scene.url, 'graphql-transport-ws')
  ws.send(conflictingInit)
  expect(await ws.closed).toMatchObject({ code: 4400 })
  const agreeing = await openSocket(scene.url, 'graphql-transport-ws')
  agreeing.send(init(secret, ['X-Hasura-Role', 'user'], ['x-hasura-role', 'user']))
  expect(await agreeing.next()).toEqual({ type: 'connection_ack' })
  for (const { ws } of [olderSocket, agreeing]) ws.terminate()
})

test('a socket at an unknown path gets 404', async () => {
  await expect(openSocket(scene.url.replace(/$/, '/nowhere'), 'graphql-ws')).rejects.toThrow(/404/)
})

test('new metadata closes a socket, and its client can reconnect', async () => {
  const ws = await openReadySocket(scene.url)
  await scene.replaceMetadata()
  expect((await ws.closed).code).toBe(1012)
  const reopened = await openReadySocket(scene.url)
  reopened.ws.terminate()
})
