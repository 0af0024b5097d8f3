import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../../support/database.ts'
import { metadata, replace, runSql, table } from '../../support/engine/metadata.ts'
import { ready, socket } from '../../support/engine/socket.ts'
import { ADMIN_SECRET, type RunningEngine, startEngine } from '../../support/engine/start-engine.ts'

let db: Database
let engine: RunningEngine

const TABLES = [
  table('note', {
    select_permissions: [
      {
        role: 'user',
        permission: { columns: '*', filter: { owner: { _eq: 'X-Hasura-User-Id' } } },
      },
    ],
  }),
]

beforeAll(async () => {
  db = await database()
  engine = await startEngine(db.url, {
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE: '10',
    HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: '3',
    HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: '1',
    ENGINE_WEBSOCKET_OPERATIONS: '40',
  })
  await engine.post(
    '/v2/query',
    runSql(`create table note (id int primary key, owner text, text text, big numeric);
      create function ratio(n int) returns setof note language plpgsql stable as
        'begin perform 1 / n; return query select * from note; end';
      insert into note values (99, 'nobody', 'many digits', 12345678901234567890.1)`),
  )
  await engine.post('/v1/metadata', replace(metadata(TABLES)))
  await engine.post('/v1/metadata', { type: 'pg_track_function', args: { function: 'ratio' } })
})

afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const INIT = {
  type: 'connection_init',
  payload: { headers: { 'x-hasura-admin-secret': ADMIN_SECRET } },
}
const ASK = { query: '{ __typename }' }
const asUser = (id: string) => ({
  'x-hasura-admin-secret': ADMIN_SECRET,
  'x-hasura-role': 'user',
  'x-hasura-user-id': id,
})

describe('graphql-transport-ws', () => {
  const protocol = 'graphql-transport-ws'

  test('a query is answered, then complete', async () => {
    const ws = await ready(engine.url)
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
    const ws = await ready(engine.url)
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
    const ws = await ready(engine.url)
    ws.send({ type: 'ping', payload })
    expect(await ws.next()).toEqual({ type: 'pong', payload: { message } })
    ws.ws.terminate()
  })

  test('keep-alives come unasked', async () => {
    const ws = await ready(engine.url)
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
    const ws = await socket(engine.url, protocol)
    for (const message of messages) ws.send(message)
    expect((await ws.closed).code).toBe(code)
  })

  test('who is not admitted learns no reason', async () => {
    const ws = await socket(engine.url, protocol)
    ws.send({ type: 'connection_init', payload: { headers: { 'x-hasura-admin-secret': 'x' } } })
    const { reason } = await ws.closed
    expect(JSON.parse(reason)).toEqual({ server_error_msg: '4403: Forbidden' })
  })

  test('a second init is acknowledged, too, and changes nothing', async () => {
    const ws = await ready(engine.url, asUser('a'))
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
    const ws = await ready(engine.url)
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
    const ws = await ready(engine.url)
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
})

test('a socket has so many operations at once, and no more', async () => {
  const ws = await ready(engine.url)
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

test('numbers in variables keep their digits', async () => {
  const ws = await ready(engine.url)
  const query = 'query ($n: numeric!) { note(where: {big: {_eq: $n}}) { id } }'
  ws.send(
    `{"type":"subscribe","id":"1","payload":{"query":"${query}","variables":{"n":12345678901234567890.1}}}`,
  )
  expect(await ws.next()).toMatchObject({ payload: { data: { note: [{ id: 99 }] } } })
  ws.ws.terminate()
})

describe('graphql-ws', () => {
  test.each(['graphql-ws', undefined])(
    'is spoken with a client that offers %s',
    async (protocol) => {
      const ws = await socket(engine.url, protocol)
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

  test('errors are in an object', async () => {
    const ws = await ready(engine.url, undefined, 'graphql-ws')
    ws.send({ type: 'start', id: 'q', payload: { query: '{ nope }' } })
    expect(await ws.next()).toMatchObject({
      type: 'error',
      payload: { errors: [{ extensions: { code: 'validation-failed' } }] },
    })
    ws.ws.terminate()
  })

  test('an id that is in use is an error of the second', async () => {
    const ws = await ready(engine.url, undefined, 'graphql-ws')
    const query = 'subscription { note { id } }'
    for (const id of ['x', 'x']) ws.send({ type: 'start', id, payload: { query } })
    const messages = [await ws.next(), await ws.next(), await ws.next()]
    expect(messages).toContainEqual(expect.objectContaining({ type: 'error', id: 'x' }))
    expect(messages).toContainEqual(expect.objectContaining({ type: 'data', id: 'x' }))
    ws.ws.terminate()
  })

  test('a first message that is none is told, and the socket closed unless a better one follows', async () => {
    const [silent, corrected] = [
      await socket(engine.url, 'graphql-ws'),
      await socket(engine.url, 'graphql-ws'),
    ]
    for (const ws of [silent, corrected]) {
      ws.send({ type: 'connection_init', payload: 5 })
      expect(await ws.next()).toMatchObject({ type: 'connection_error' })
    }
    corrected.send(INIT)
    expect(await corrected.next()).toEqual({ type: 'connection_ack' })
    expect(await silent.closed).toEqual({ code: 1011, reason: '' })
    expect(silent.waiting).toEqual([])
    expect(corrected.ws.readyState).toBe(corrected.ws.OPEN)
    corrected.ws.terminate()
  })

  test('who is not admitted is told and cut off', async () => {
    const ws = await socket(engine.url, 'graphql-ws')
    ws.send({ type: 'connection_init', payload: {} })
    expect(await ws.next()).toMatchObject({ type: 'connection_error' })
    await ws.closed
  })
})

test.each([0, null, ['user']])('a header with %j for its value is no header', async (value) => {
  const init = {
    type: 'connection_init',
    payload: { headers: { 'x-hasura-admin-secret': ADMIN_SECRET, 'x-case': value } },
  }
  const older = await socket(engine.url, 'graphql-ws')
  older.send(init)
  expect(await older.next()).toMatchObject({ type: 'connection_error' })
  const ws = await socket(engine.url, 'graphql-transport-ws')
  ws.send(init)
  expect(await ws.closed).toMatchObject({ code: 4400 })
})

test('a header in two spellings with two values is refused', async () => {
  const init = (...headers: [string, string][]) => ({
    type: 'connection_init',
    payload: { headers: Object.fromEntries(headers) },
  })
  const secret: [string, string] = ['x-hasura-admin-secret', ADMIN_SECRET]
  const twice = init(secret, ['X-Hasura-Role', 'user'], ['x-hasura-role', 'editor'])
  const older = await socket(engine.url, 'graphql-ws')
  older.send(twice)
  expect(await older.next()).toMatchObject({ type: 'connection_error' })
  const ws = await socket(engine.url, 'graphql-transport-ws')
  ws.send(twice)
  expect(await ws.closed).toMatchObject({ code: 4400 })
  const alike = await socket(engine.url, 'graphql-transport-ws')
  alike.send(init(secret, ['X-Hasura-Role', 'user'], ['x-hasura-role', 'user']))
  expect(await alike.next()).toEqual({ type: 'connection_ack' })
  for (const { ws } of [older, alike]) ws.terminate()
})

test('a socket is opened at the path of GraphQL only', async () => {
  await expect(socket(engine.url.replace(/$/, '/nowhere'), 'graphql-ws')).rejects.toThrow(/404/)
})

describe('a live query', () => {
  test('tells each change once, and only to those who see it', async () => {
    const [ada, bob] = [
      await ready(engine.url, asUser('ada')),
      await ready(engine.url, asUser('bob')),
    ]
    const payload = { query: 'subscription { note(order_by: {id: asc}) { id text } }' }
    for (const ws of [ada, bob]) ws.send({ type: 'subscribe', id: 'live', payload })
    const told = (note: object[]) => ({ type: 'next', id: 'live', payload: { data: { note } } })
    expect(await ada.next()).toEqual(told([]))
    expect(await bob.next()).toEqual(told([]))
    await db.query(`insert into note values (1, 'ada', 'a')`)
    expect(await ada.next()).toEqual(told([{ id: 1, text: 'a' }]))
    await db.query(`update note set text = 'b'`)
    expect(await ada.next()).toEqual(told([{ id: 1, text: 'b' }]))
    await db.query(`insert into note values (2, 'bob', 'c')`)
    expect(await bob.next()).toEqual(told([{ id: 2, text: 'c' }]))
    expect(ada.waiting).toEqual([])
    ada.send({ type: 'complete', id: 'live' })
    await db.query('delete from note')
    expect(await bob.next()).toEqual(told([]))
    expect(ada.waiting).toEqual([])
    for (const ws of [ada, bob]) ws.ws.terminate()
  })

  test('of many followers is one statement a batch, whatever their variables', async () => {
    await db.query(`insert into note select n, 'o' || n, 'x' from generate_series(1, 30) n`)
    const ws = await ready(engine.url)
    const query = 'subscription ($id: Int!) { note(where: {id: {_eq: $id}}) { id } }'
    for (let id = 1; id <= 30; id += 1)
      ws.send({ type: 'subscribe', id: String(id), payload: { query, variables: { id } } })
    for (let n = 1; n <= 30; n += 1) {
      const message = await ws.next()
      expect(message.payload).toEqual({ data: { note: [{ id: Number(message.id) }] } })
    }
    await db.query(`update note set id = 100 + id where id = 7`)
    expect(await ws.next()).toEqual({ type: 'next', id: '7', payload: { data: { note: [] } } })
    await db.query('delete from note')
    ws.ws.terminate()
  })

  test('with a value that the database refuses harms no other, and is told so as long as it does', async () => {
    await db.query(`insert into note values (8, 'x', 'b')`)
    const ws = await ready(engine.url)
    const query = 'subscription ($text: String!) { note(where: {text: {_similar: $text}}) { id } }'
    const follow = (id: string, text: string) =>
      ws.send({ type: 'subscribe', id, payload: { query, variables: { text } } })
    follow('good', 'a')
    expect(await ws.next()).toMatchObject({ type: 'next', id: 'good' })
    follow('bad', '(')
    const refused = {
      type: 'next',
      id: 'bad',
      payload: {
        data: null,
        errors: [
          { message: 'database query error', extensions: { code: 'unexpected', path: '$' } },
        ],
      },
    }
    expect(await ws.next()).toMatchObject(refused)
    expect(await ws.next()).toMatchObject(refused)
    await db.query(`insert into note values (9, 'x', 'a')`)
    const next = async (id: string) => {
      for (;;) {
        const message = await ws.next()
        if (message.id === id) return message
      }
    }
    expect(await next('good')).toMatchObject({ payload: { data: { note: [{ id: 9 }] } } })
    await db.query('delete from note')
    const answered = { type: 'next', id: 'bad', payload: { data: { note: [] } } }
    await expect.poll(() => next('bad')).toEqual(answered)
    ws.ws.terminate()
  })

  test('with a value that a function refuses ends', async () => {
    const ws = await ready(engine.url)
    const query = 'subscription ($n: Int!) { ratio(args: {n: $n}) { id } }'
    ws.send({ type: 'subscribe', id: 'no', payload: { query, variables: { n: 0 } } })
    expect(await ws.next()).toMatchObject({
      type: 'error',
      id: 'no',
      payload: [{ extensions: { code: 'unexpected', path: '$' } }],
    })
    ws.ws.terminate()
  })

  test('with a value that the database cannot read ends', async () => {
    await db.query(`insert into note values (1, 'x', 'a')`)
    const ws = await ready(engine.url)
    const query = 'subscription ($big: numeric!) { note(where: {big: {_eq: $big}}) { id } }'
    const variables = { big: 'x' }
    ws.send({ type: 'subscribe', id: 'unread', payload: { query, variables } })
    expect(await ws.next()).toMatchObject({
      type: 'error',
      id: 'unread',
      payload: [{ extensions: { code: 'data-exception', path: '$' } }],
    })
    await db.query('delete from note')
    ws.ws.terminate()
  })
})

test('a stream tells each row once, ties included', async () => {
  const ws = await ready(engine.url)
  await db.query(
    `insert into note values (1, 'a', 'x'), (2, 'a', 'x'), (3, 'b', 'x'), (4, 'c', 'x')`,
  )
  const query =
    'subscription { note_stream(batch_size: 1, cursor: {initial_value: {owner: ""}}) { id } }'
  ws.send({ type: 'subscribe', id: 's', payload: { query } })
  const batch = async () => (await ws.next()).payload
  const rows = (...ids: number[]) => ({ data: { note_stream: ids.map((id) => ({ id })) } })
  expect(await batch()).toEqual(rows(1, 2))
  expect(await batch()).toEqual(rows(3))
  expect(await batch()).toEqual(rows(4))
  await db.query(`insert into note values (5, 'd', 'x')`)
  expect(await batch()).toEqual(rows(5))
  expect(ws.waiting).toEqual([])
  await db.query('delete from note')
  ws.ws.terminate()
})

test('new metadata closes the sockets, which may come again', async () => {
  const ws = await ready(engine.url)
  await engine.post('/v1/metadata', replace(metadata(TABLES)))
  expect((await ws.closed).code).toBe(1012)
  const again = await ready(engine.url)
  again.ws.terminate()
})
