import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReadySocket, openSocket } from '../support/socket.ts'
import { INIT, type SocketScene, startSocketScene } from '../support/socket-scene.ts'

let scene: SocketScene

beforeAll(async () => {
  scene = await startSocketScene()
})
afterAll(() => scene.stop())

const ASK = { query: '{ __typename }' }

test.each(['graphql-ws', undefined])(
  'graphql-ws is used with a client that offers %s',
  async (protocol) => {
    const ws = await openSocket(scene.url, protocol)
    ws.send(INIT)
    expect(await ws.next()).toEqual({ type: 'connection_ack' })
    ws.send({ type: 'start', id: 'q', payload: ASK })
    expect(await ws.next()).toMatchObject({ type: 'data', id: 'q' })
    expect(await ws.next()).toEqual({ type: 'complete', id: 'q' })
    expect(ws.all.map(({ type }) => type)).toContain('ka')
    ws.send({ type: 'connection_terminate' })
    await ws.closed
  },
)

test('graphql-ws sends errors in an object', async () => {
  const ws = await openReadySocket(scene.url, undefined, 'graphql-ws')
  ws.send({ type: 'start', id: 'q', payload: { query: '{ nope }' } })
  expect(await ws.next()).toMatchObject({
    type: 'error',
    payload: { errors: [{ extensions: { code: 'validation-failed' } }] },
  })
  ws.ws.terminate()
})

test('graphql-ws rejects a second operation with an id in use', async () => {
  const ws = await openReadySocket(scene.url, undefined, 'graphql-ws')
  const query = 'subscription { note { id } }'
  for (const id of ['x', 'x']) ws.send({ type: 'start', id, payload: { query } })
  const messages = [await ws.next(), await ws.next(), await ws.next()]
  expect(messages).toContainEqual(expect.objectContaining({ type: 'error', id: 'x' }))
  expect(messages).toContainEqual(expect.objectContaining({ type: 'data', id: 'x' }))
  ws.ws.terminate()
})

test('graphql-ws closes after an invalid connection_init unless a valid connection_init follows', async () => {
  const [silentSocket, correctedSocket] = [
    await openSocket(scene.url, 'graphql-ws'),
    await openSocket(scene.url, 'graphql-ws'),
  ]
  for (const ws of [silentSocket, correctedSocket]) {
    ws.send({ type: 'connection_init', payload: 5 })
    expect(await ws.next()).toMatchObject({ type: 'connection_error' })
  }
  correctedSocket.send(INIT)
  expect(await correctedSocket.next()).toEqual({ type: 'connection_ack' })
  expect(await silentSocket.closed).toEqual({ code: 1011, reason: '' })
  expect(silentSocket.unread).toEqual([])
  expect(correctedSocket.ws.readyState).toBe(correctedSocket.ws.OPEN)
  correctedSocket.ws.terminate()
})

test('graphql-ws sends connection_error and closes for a missing secret', async () => {
  const ws = await openSocket(scene.url, 'graphql-ws')
  ws.send({ type: 'connection_init', payload: {} })
  expect(await ws.next()).toMatchObject({ type: 'connection_error' })
  await ws.closed
})
