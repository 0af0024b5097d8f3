import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Database, database } from '../../support/database.ts'
import {
  askAs,
  authorizationOf,
  CALLER_SETTINGS,
  nextOf,
  socketOf,
} from '../../support/engine/caller.ts'
import { metadata, replace, table } from '../../support/engine/metadata.ts'
import { type Socket, socket } from '../../support/engine/socket.ts'
import {
  type Answered,
  type RunningEngine,
  startEngine,
} from '../../support/engine/start-engine.ts'

let db: Database
let engine: RunningEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table item (id int primary key, parent_id int references item, label text);
    create index on item (parent_id);
    insert into item select n, nullif(n / 20, 0), 'item' from generate_series(1, 20000) n;
    analyze item;
    create function slow(seconds float) returns setof item language sql stable as
      $$ select item.* from item, pg_sleep(seconds) where id = 1 $$;
    create function prepared_count() returns setof item language sql stable as
      $$ select count(*)::int as id, null::int as parent_id, null as label from pg_prepared_statements $$`)
  engine = await startEngine(db.url, {
    ...CALLER_SETTINGS,
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '100',
    ENGINE_CALLER_CONNECTIONS: '2',
    ENGINE_CALLER_STATEMENT_TIMEOUT_MS: '400',
    ENGINE_CALLER_WEBSOCKETS: '2',
  })
  const select_permissions = [{ role: 'user', permission: { columns: '*', filter: {} } }]
  await engine.post('/v1/metadata', replace(metadata([ITEM(select_permissions)])))
  for (const name of ['slow', 'prepared_count'])
    await engine.post('/v1/metadata', { type: 'pg_track_function', args: { function: name } })
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

const ITEM = (select_permissions: object[]) =>
  table('item', {
    object_relationships: [{ name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }],
    array_relationships: [
      {
        name: 'children',
        using: { foreign_key_constraint_on: { column: 'parent_id', table: 'item' } },
      },
    ],
    select_permissions,
  })

function ask(query: string, variables: object = {}, user = 'ada'): Promise<Answered> {
  return askAs(engine, user, { query, variables })
}

const refusal = (code: string, message: RegExp) => ({
  errors: [{ extensions: { code }, message: expect.stringMatching(message) }],
})

describe('a document of a caller without the admin secret', () => {
  const deep = (levels: number) =>
    `{item(limit:1){${'parent{'.repeat(levels)}id${'}'.repeat(levels)}}}`
  const wide = (fields: number) =>
    `{item(limit:1){${Array.from({ length: fields }, (_, i) => `f${i}:id`).join(' ')}}}`
  const nested = (levels: number) => {
    let where: object = { id: { _eq: 1 } }
    for (let level = 0; level < levels; level++) where = { parent: where }
    return { where }
  }
  const CONDITION = 'query($where: item_bool_exp!){item(where:$where){id}}'
  const IN = 'query($ids: [Int!]!){item(where:{id:{_in:$ids}},limit:1){id}}'

  test.each<[string, string, object, RegExp]>([
    ['too long', `{item{id ${' '.repeat(50_000)}}}`, {}, /too many bytes: 500\d\d > 50000/],
    ['too deep', deep(15), {}, /nested too deeply: 17 > 16/],
    ['with too many fields', wide(500), {}, /too many fields: 501 > 500/],
    ['whose fragments multiply', fragments(9), {}, /too many fields/],
    ['with too deep a variable', CONDITION, nested(16), /value is nested too deeply/],
    [
      'with too deep a literal',
      `{item(where:${'{parent:'.repeat(16)}{}${'}'.repeat(16)}){id}}`,
      {},
      /value is nested too deeply/,
    ],
    [
      'with too many values',
      IN,
      { ids: Array.from({ length: 10_001 }, (_, i) => i) },
      /too many values: 10001 > 10000/,
    ],
    [
      'with too many literals',
      `{item(where:{id:{_in:[${'1 '.repeat(10_001)}]}}){id}}`,
      {},
      /too many values: 10001 > 10000/,
    ],
    [
      'with too many empty objects',
      'query($all: [item_bool_exp!]!){item(where:{_or:$all},limit:1){id}}',
      { all: Array.from({ length: 10_001 }, () => ({})) },
      /too many values: 10001 > 10000/,
    ],
    [
      'that uses a variable too often',
      `query($ids: [Int!]!){${Array.from({ length: 100 }, (_, i) => `a${i}:item(where:{id:{_in:$ids}},limit:1){id}`)}}`,
      { ids: Array.from({ length: 101 }, (_, i) => i) },
      /too many values, as often as its variables are used: 10100 > 10000/,
    ],
    [
      'that uses a long variable too often, in fragments',
      `query($text: String!){item{...A ...A}} fragment A on item{...B b:parent{...B}} fragment B on item{parent{${Array.from({ length: 4 }, (_, i) => `a${i}:children(where:{label:{_eq:$text}}){id}`)}}}`,
      { text: 'x'.repeat(70_000) },
      /variables have too many bytes, as often as they are used: 1120032 > 1000000/,
    ],
    [
      'with too many conditions on relations',
      CONDITION,
      { where: { _or: Array.from({ length: 501 }, (_, i) => ({ parent: { id: { _eq: i } } })) } },
      /too many subqueries: 501 > 500/,
    ],
    [
      'with too many of them, one in the other and in several fields',
      'query($where: item_bool_exp!){a:item(where:$where){id} b:item(where:$where){id}}',
      {
        where: {
          _or: Array.from({ length: 90 }, (_, i) => ({
            parent: { children: { parent: { id: { _eq: i } } } },
          })),
        },
      },
      /too many subqueries: 501 > 500/,
    ],
    [
      'with too many orders by relations',
      'query($by: [item_order_by!]!){item(order_by:$by,limit:1){id}}',
      { by: Array.from({ length: 251 }, () => ({ parent: { parent: { id: 'asc' } } })) },
      /too many subqueries: 501 > 500/,
    ],
  ])('%s is refused, and not cached', async (_name, query, variables, message) => {
    expect((await ask(query, variables)).body).toMatchObject(refusal('validation-failed', message))
  })

  test('may be as large as the bounds say', async () => {
    for (const [query, variables] of [
      [deep(14), {}],
      [wide(499), {}],
      [IN, { ids: Array.from({ length: 9_999 }, (_, i) => i) }],
      [
        'query($by: [item_order_by!]!){item(where:{id:{_eq:1}},order_by:$by){id}}',
        { by: Array.from({ length: 50 }, () => ({ parent: { id: 'asc' } })) },
      ],
    ] as const)
      expect((await ask(query, variables)).text).toMatch(/^{"data":/)
  })

  test('may be larger with the admin secret', async () => {
    expect((await engine.graphql(deep(20))).text).toMatch(/^{"data":/)
    expect((await engine.graphql(wide(2_000))).text).toMatch(/^{"data":/)
  })

  /** Each fragment spreads the one before it twice. */
  function fragments(count: number): string {
    const all = Array.from({ length: count }, (_, i) =>
      i === 0
        ? 'fragment F0 on item{id}'
        : `fragment F${i} on item{a:parent{...F${i - 1}} b:parent{...F${i - 1}}}`,
    )
    return `{item(limit:1){...F${count - 1}}} ${all.join(' ')}`
  }
})

describe('a query whose cost PostgreSQL estimates too high', () => {
  const EXPLODING = '{item{children{parent{children{parent{children{id}}}}}}}'

  test('is refused before it runs', async () => {
    expect((await ask(EXPLODING)).body).toMatchObject(refusal('query-too-costly', /estimated cost/))
  })

  test('is refused after it was asked for few rows, by the same document', async () => {
    const query =
      'query($n: Int){item(limit:$n){children(limit:$n){parent{children(limit:$n){parent{children(limit:$n){id}}}}}}}'
    expect((await ask(query, { n: 2 })).text).toMatch(/^{"data":/)
    expect((await ask(query, { n: 3 })).text).toMatch(/^{"data":/)
    expect((await ask(query, { n: 1_000_000 })).body).toMatchObject(
      refusal('query-too-costly', /estimated cost/),
    )
  })

  test('is refused as a subscription, too', async () => {
    const ws = await connect('ada')
    ws.send({ type: 'subscribe', id: '1', payload: { query: `subscription ${EXPLODING}` } })
    expect(await nextOf(ws, 'error')).toMatchObject({
      id: '1',
      payload: [{ extensions: { code: 'query-too-costly' } }],
    })
    ws.ws.close()
  })

  test('runs for few rows', async () => {
    expect(
      (await ask('{item(limit:2){children(limit:2){parent{children(limit:2){id}}}}}')).text,
    ).toMatch(/^{"data":/)
  })
})

describe('a slow statement of a caller', () => {
  const SLOW = '{slow(args:{seconds: 5}){id}}'

  test('is cancelled by the database', async () => {
    expect((await ask(SLOW)).text).toContain('errors')
    expect(await running('slow')).toBe(0)
  })

  test('may take longer with the admin secret', async () => {
    expect((await engine.graphql('{slow(args:{seconds: 0.6}){id}}')).text).toMatch(/^{"data":/)
  })
})

describe('callers who send more than their share', () => {
  test('are told to come back, and others are served', async () => {
    const greedy = Array.from({ length: 60 }, () =>
      ask('{slow(args:{seconds: 0.2}){id}}', {}, 'greedy'),
    )
    const quiet = await ask('{item(limit:1){id}}', {}, 'quiet')
    expect(quiet.text).toMatch(/^{"data":/)
    const all = await Promise.all(greedy)
    const refused = all.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    const waits = refused.map(({ headers }) => Number(headers.get('retry-after')))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1)
    expect(Math.max(...waits)).toBeLessThanOrEqual(30)
    expect(refused[0]?.body).toMatchObject(refusal('rate-limit-exceeded', /too many requests/))
    expect(all.length - refused.length).toBeGreaterThan(0)
  })

  test('are one caller, whatever else their sessions say', async () => {
    const greedy = Array.from({ length: 60 }, (_, i) =>
      ask('{slow(args:{seconds: 0.2}){id}}', {}, `team ${i}`),
    )
    expect((await Promise.all(greedy)).map(({ status }) => status)).toContain(429)
  })
})

describe('on a WebSocket', () => {
  test('a query waits for its turn once', async () => {
    const ws = await connect('turns')
    const slow = (n: number) => ask(`{slow(args:{seconds: 0.30${n}}){id}}`, {}, 'turns')
    const first = slow(1)
    await vi.waitUntil(async () => (await running('slow')) === 1)
    ws.send({ type: 'subscribe', id: '1', payload: { query: '{item(limit:1){id}}' } })
    ws.ws.ping()
    await once(ws.ws, 'pong')
    const order: string[] = []
    const second = slow(2).then(() => order.push('what came later'))
    await nextOf(ws, 'next').then(() => order.push('query'))
    await Promise.all([first, second])
    expect(order).toEqual(['query', 'what came later'])
    ws.ws.close()
  })

  test('a caller has 20 operations at a time', async () => {
    const ws = await connect('ada')
    for (let i = 0; i < 21; i++)
      ws.send({
        type: 'subscribe',
        id: String(i),
        payload: { query: `subscription {item(limit:${i}){id}}` },
      })
    expect(await nextOf(ws, 'error')).toMatchObject({
      id: '20',
      payload: [{ extensions: { code: 'start-failed' } }],
    })
    ws.ws.close()
  })

  test('a caller has so many sockets', async () => {
    const [first, second] = [await connect('sockets'), await connect('sockets')]
    const third = await socket(engine.url, 'graphql-transport-ws')
    third.send(await initOf('sockets'))
    expect((await third.closed).code).toBe(4403)
    const other = await connect('other')
    first.ws.close()
    await first.closed
    const again = await connect('sockets')
    for (const { ws } of [second, other, again]) ws.close()
  })

  test('nothing is read any more for subscribers who have gone', async () => {
    const ws = await connect('gone')
    for (let i = 0; i < 10; i++)
      ws.send({
        type: 'subscribe',
        id: String(i),
        payload: { query: `subscription {slow(args:{seconds: 0.3${i}}){id}}` },
      })
    await vi.waitUntil(async () => (await running('slow')) > 0, { timeout: 20_000 })
    ws.ws.terminate()
    await vi.waitUntil(async () => (await running('slow')) === 0, { timeout: 20_000 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await running('slow')).toBe(0)
  })
})

test('a connection keeps only so many prepared statements', async () => {
  for (let i = 0; i < 520; i++) {
    const query = `{item(limit:1){a${i}:id}}`
    await engine.graphql(query)
    await engine.graphql(query)
  }
  // Another connection may answer, while what the engine does by itself has this one.
  const counts: number[] = []
  const count = async () => {
    const { body } = await engine.graphql('{prepared_count{id}}')
    counts.push(Object(body).data.prepared_count[0].id)
    return counts.at(-1)
  }
  await expect.poll(count).toBeGreaterThan(100)
  for (const one of counts) expect(one).toBeLessThanOrEqual(500)
})

async function initOf(user: string) {
  return {
    type: 'connection_init',
    payload: { headers: { Authorization: await authorizationOf(user) } },
  }
}

function connect(user: string): Promise<Socket> {
  return socketOf(engine, user)
}

/** How many statements with this text run now. */
async function running(text: string): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int from pg_stat_activity
     where query like '%' || $1 || '%' and state = 'active' and pid <> pg_backend_pid() and datname = current_database()`,
    [text],
  )
  return Number(rows[0]?.count)
}
