import { afterAll, beforeAll, expect, test } from 'vitest'
import { ready, socket } from '../support/socket.ts'
import { asUser, INIT, type SocketScene, startSocketScene } from '../support/socket-scene.ts'

let scene: SocketScene

beforeAll(async () => {
  scene = await startSocketScene()
})
afterAll(() => scene.stop())

const ASK = { query: '{ __typename }' }

test('a query is answered, then complete', async () => {
  const ws = await ready(scene.url)
  ws.send({ type: 'subscribe', id: 'q', payload: ASK })
  expect(await ws.next()).toEqual({
    type: 'next',
    id: 'q',
    payload: { data: { __typename: 'query_root' } },
  })
  expect(await ws.next()).toEqual({ type: 'complete', id: 'q' })
  ws.ws.terminate()
})

test('an operation that cannot be is an error with a list', async () => {
  const ws = await ready(scene.url)
  ws.send({ type: 'subscribe', id: 'q', payload: { query: '{ nope }' } })
  expect(await ws.next()).toMatchObject({
    type: 'error',
    id: 'q',
    payload: [{ extensions: { code: 'validation-failed' } }],
  })
  ws.ws.terminate()
})

test.each([
  [undefined, null],
  [{ n: 1 }, null],
  [{ message: 'hello' }, 'hello'],
])('a ping with %j is answered with its message', async (payload, message) => {
  const ws = await ready(scene.url)
  ws.send({ type: 'ping', payload })
  expect(await ws.next()).toEqual({ type: 'pong', payload: { message } })
  ws.ws.terminate()
})

test('keep-alives come unasked', async () => {
  const ws = await ready(scene.url)
  await expect
    .poll(() => ws.all)
    .toContainEqual({ type: 'ping', payload: { message: 'keepalive' } })
  ws.ws.terminate()
})

test.each([
  ['no init in time', [], 4408],
  ['a subscription before init', [{ type: 'subscribe', id: 'x', payload: ASK }], 1000],
  ['no JSON', ['{'], 4400],
  ['a message of no known type', [INIT, { type: 'what' }], 4400],
  ['a message of the other protocol', [INIT, { type: 'start', id: 'x', payload: ASK }], 4400],
  ['a stop without an id', [INIT, { type: 'complete' }], 4400],
  [
    'a wrong secret',
    [{ type: 'connection_init', payload: { headers: { 'x-hasura-admin-secret': 'x' } } }],
    4403,
  ],
])('%s closes with its code', async (_what, messages, code) => {
  const ws = await socket(scene.url, 'graphql-transport-ws')
  for (const message of messages) ws.send(message)
  expect((await ws.closed).code).toBe(code)
})

test('who is not admitted learns no reason', async () => {
  const ws = await socket(scene.url, 'graphql-transport-ws')
  ws.send({ type: 'connection_init', payload: { headers: { 'x-hasura-admin-secret': 'x' } } })
  const { reason } = await ws.closed
  expect(JSON.parse(reason)).toEqual({ server_error_msg: '4403: Forbidden' })
})

test('a second init is acknowledged, too, and changes nothing', async () => {
  const ws = await ready(scene.url, asUser('a'))
  ws.send(INIT)
  expect(await ws.next()).toEqual({ type: 'connection_ack' })
  const query = 'mutation { delete_note(where: {id: {_eq: 0}}) { affected_rows } }'
  ws.send({ type: 'subscribe', id: 'q', payload: { query } })
  expect(await ws.next()).toMatchObject({
    type: 'error',
    payload: [{ message: 'no mutations exist' }],
  })
  ws.ws.terminate()
})

test('an id that is in use ends the connection', async () => {
  const ws = await ready(scene.url)
  for (let i = 0; i < 2; i++)
    ws.send({ type: 'subscribe', id: 'x', payload: { query: 'subscription { note { id } }' } })
  expect((await ws.closed).code).toBe(1000)
  expect(ws.all).toContainEqual({
    type: 'error',
    id: 'x',
    payload: [
      {
        message: 'an operation already exists with this id: x',
        extensions: { path: '$', code: 'start-failed' },
      },
    ],
  })
})

test('what the database refuses is an error, and then complete', async () => {
  const ws = await ready(scene.url)
  const query = '{ note(where: {text: {_similar: "("}}) { id } }'
  ws.send({ type: 'subscribe', id: 'q', payload: { query } })
  expect(await ws.next()).toMatchObject({
    type: 'error',
    id: 'q',
    payload: [{ extensions: { code: 'data-exception' } }],
  })
  expect(await ws.next()).toEqual({ type: 'complete', id: 'q' })
  ws.ws.terminate()
})
