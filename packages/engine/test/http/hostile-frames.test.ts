import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { openReadySocket } from '../support/socket.ts'
import { ADMIN_SECRET, type ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query('create table thing (id int primary key); insert into thing values (1)')
  engine = await serveEngineHere(db.url)
  await engine.post('/v1/metadata', replace(metadata([table('thing')])))
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const expectAlive = async () =>
  expect((await engine.graphql('{ thing_by_pk(id: 1) { id } }')).body).toEqual({
    data: { thing_by_pk: { id: 1 } },
  })

describe('malformed WebSocket frames do not harm the engine', () => {
  test.each([
    ['a frame of an unknown kind', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
    ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
    ['a frame with reserved bits', Buffer.from([0xf1, 0x80, 0, 0, 0, 0])],
    [
      'a frame with an excessive length',
      Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]),
    ],
    ['a text frame that is not UTF-8', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28])],
    ['a continuation without a first frame', Buffer.from([0x80, 0x80, 0, 0, 0, 0])],
    [
      'a ping that is too long',
      Buffer.concat([Buffer.from([0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0]), Buffer.alloc(256)]),
    ],
  ])('%s ends its connection and no other', async (_what, frame) => {
    const neighbour = await openReadySocket(engine.url)
    const socket = await openUpgraded()
    const ended = once(socket, 'close')
    socket.write(frame)
    await ended
    neighbour.send({
      type: 'subscribe',
      id: '1',
      payload: { query: '{ thing_by_pk(id: 1) { id } }' },
    })
    expect(await neighbour.next()).toMatchObject({ type: 'next' })
    neighbour.ws.terminate()
  })

  test.each([
    ['null', 'null'],
    ['a number', '1'],
    [
      'a subscribe message nested 50,000 deep',
      `{"type":"subscribe","id":"1","payload":${nest(50_000, '{"a":', '}', '1')}}`,
    ],
    ['a ping nested 200,000 deep', `{"type":"ping","payload":${nest(200_000, '[', ']')}}`],
    [
      'a header nested 200,000 deep',
      `{"type":"connection_init","payload":{"headers":{"a":${nest(200_000, '[', ']')}}}}`,
    ],
    [
      'a header that cannot become a string',
      '{"type":"connection_init","payload":{"headers":{"a":{"toString":null,"valueOf":null}}}}',
    ],
    ['a type that is not a string', '{"type":{"__proto__":null}}'],
    [
      'an id that is not a string',
      '{"type":"subscribe","id":{},"payload":{"query":"{ __typename }"}}',
    ],
    ['a built-in name of JavaScript', '{"type":"constructor"}'],
    ['a null payload', '{"type":"subscribe","id":"1","payload":null}'],
  ])('%s as a message affects no other client', async (_what, message) => {
    const socket = await openReadySocket(engine.url)
    socket.send(message)
    await Promise.race([socket.closed, socket.next()])
    socket.ws.terminate()
    await expectAlive()
  })

  /** Opens a connection, upgraded to a WebSocket, on which the test writes raw bytes. */
  async function openUpgraded(): Promise<Socket> {
    const { hostname, port } = new URL(engine.url)
    const socket = connect(Number(port), hostname).on('error', () => {})
    socket.write(
      [
        'GET /v1/graphql HTTP/1.1',
        `Host: ${hostname}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==',
        'Sec-WebSocket-Protocol: graphql-transport-ws',
        `x-hasura-admin-secret: ${ADMIN_SECRET}`,
        '\r\n',
      ].join('\r\n'),
    )
    await once(socket, 'data')
    return socket
  }
})

function nest(n: number, open: string, close: string, inside = ''): string {
  return open.repeat(n) + inside + close.repeat(n)
}
