import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReadySocket, openSocket } from '../support/socket.ts'
import { asUser, INIT, type SocketScene, startSocketScene } from '../support/socket-scene.ts'

let scene: SocketScene

beforeAll(async () => {
  scene = await startSocketScene()
})
afterAll(() => scene.stop())

const ASK = { query: '{ __typename }' }

test('graphql-transport-ws sends the result of a query, then complete', async () => {
  const ws = await openReadySocket(scene.url)
  ws.send({ type: 'subscribe', id: 'q', payload: ASK })
  expect(await ws.next()).toEqual({
    type: 'next',
    id: 'q',
    payload: { data: { __typename: 'query_root' } },
  })
  expect(await ws.next()).toEqual({ type: 'complete', id: 'q' })
  ws.ws.terminate()
})

test('graphql-transport-ws sends a list of errors for an invalid operation', async () => {
  const ws = await openReadySocket(scene.url)
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
])(
  'graphql-transport-ws answers a ping with %j by a pong with its message',
  async (payload, message) => {
    const ws = await openReadySocket(scene.url)
    ws.send({ type: 'ping', payload })
    expect(await ws.next()).toEqual({ type: 'pong', payload: { message } })
    ws.ws.terminate()
  },
)

test('graphql-transport-ws sends keep-alive pings', async () => {
  const ws = await openReadySocket(scene.url)
  await expect
    .poll(() => ws.all)
    .toContainEqual({ type: 'ping', payload: { message: 'keepalive' } })
  ws.ws.terminate()
})

test.each([
  ['a missing connection_init', [], 4408],
  ['a subscription before init', [{ type: 'subscribe', id: 'x', payload: ASK }], 1000],
  ['a message that is not JSON', ['{'], 4400],
  ['a message of an unknown type', [INIT, { type: 'what' }], 4400],
  ['a message of the other protocol', [INIT, { type: 'start', id: 'x', payload: ASK }], 4400],
  ['a complete without an id', [INIT, { type: 'complete' }], 4400],
  [
    'a wrong secret',
    [{ type: 'connection_init', payload: { headers: { 'x-hasura-admin-secret': 'x' } } }],
    4403,
  ],
])(
  'graphql-transport-ws closes the connection with its code after %s',
  async (_what, messages, code) => {
    const ws = await openSocket(scene.url, 'graphql-transport-ws')
    for (const message of messages) ws.send(message)
    expect((await ws.closed).code).toBe(code)
  },
)

test('graphql-transport-ws closes a forbidden connection with a reason that has no detail', async () => {
  const ws = await openSocket(scene.url, 'graphql-transport-ws')
  ws.send({ type: 'connection_init', payload: { headers: { 'x-hasura-admin-secret': 'x' } } })
  const { reason } = await ws.closed
  expect(JSON.parse(reason)).toEqual({ server_error_msg: '4403: Forbidden' })
})

test('graphql-transport-ws acknowledges a second connection_init, which changes nothing', async () => {
  const ws = await openReadySocket(scene.url, asUser('a'))
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

test('graphql-transport-ws closes the connection if an id is used twice', async () => {
  const ws = await openReadySocket(scene.url)
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

test('graphql-transport-ws sends an error and complete if PostgreSQL rejects a query', async () => {
  const ws = await openReadySocket(scene.url)
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
