import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Database } from '../../../../test/support/database.ts'
import { askAs, authorizationOf, nextMessageOf, socketOf } from '../support/caller.ts'
import { rejection, startWithItems } from '../support/callers/items.ts'
import { openSocket, type Socket } from '../support/socket.ts'
import { type EngineAnswer, type RunningEngine, startEngine } from '../support/start-engine.ts'

let items: Awaited<ReturnType<typeof startWithItems<RunningEngine>>>
let db: Database
let engine: RunningEngine

beforeAll(async () => {
  items = await startWithItems(startEngine, {
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '100',
    ENGINE_CALLER_CONNECTIONS: '2',
    ENGINE_CALLER_STATEMENT_TIMEOUT_MS: '400',
    ENGINE_CALLER_WEBSOCKETS: '2',
  })
  ;({ db, engine } = items)
  await db.query(`
    create function slow(seconds float) returns setof item language sql stable as
      $$ select item.* from item, pg_sleep(seconds) where id = 1 $$;
    create function prepared_count() returns setof item language sql stable as
      $$ select count(*)::int as id, null::int as parent_id, null as label from pg_prepared_statements $$`)
  for (const name of ['slow', 'prepared_count'])
    await engine.post('/v1/metadata', { type: 'pg_track_function', args: { function: name } })
})
afterAll(() => items?.stop())

function ask(query: string, variables: object = {}, user = 'ada'): Promise<EngineAnswer> {
  return askAs(engine, user, { query, variables })
}

describe('a query is rejected if its estimated cost is too high', () => {
  const EXPLODING = '{item{children{parent{children{parent{children{id}}}}}}}'

  test('a too costly query is rejected before it runs', async () => {
    expect((await ask(EXPLODING)).body).toMatchObject(
      rejection('query-too-costly', /estimated cost/),
    )
  })

  test('a query that ran for few rows is rejected for many rows', async () => {
    const query =
      'query($n: Int){item(limit:$n){children(limit:$n){parent{children(limit:$n){parent{children(limit:$n){id}}}}}}}'
    expect((await ask(query, { n: 2 })).text).toMatch(/^{"data":/)
    expect((await ask(query, { n: 3 })).text).toMatch(/^{"data":/)
    expect((await ask(query, { n: 1_000_000 })).body).toMatchObject(
      rejection('query-too-costly', /estimated cost/),
    )
  })

  test('a too costly subscription is rejected', async () => {
    const ws = await connect('ada')
    ws.send({ type: 'subscribe', id: '1', payload: { query: `subscription ${EXPLODING}` } })
    expect(await nextMessageOf(ws, 'error')).toMatchObject({
      id: '1',
      payload: [{ extensions: { code: 'query-too-costly' } }],
    })
    ws.ws.close()
  })

  test('a nested query with small limits runs', async () => {
    expect(
      (await ask('{item(limit:2){children(limit:2){parent{children(limit:2){id}}}}}')).text,
    ).toMatch(/^{"data":/)
  })
})

describe('slow statements are cancelled', () => {
  const SLOW = '{slow(args:{seconds: 5}){id}}'

  test('PostgreSQL cancels a slow statement of a caller', async () => {
    expect((await ask(SLOW)).text).toContain('errors')
    expect(await countRunning('slow')).toBe(0)
  })

  test('a slow statement with the admin secret is not cancelled', async () => {
    expect((await engine.graphql('{slow(args:{seconds: 0.6}){id}}')).text).toMatch(/^{"data":/)
  })
})

describe('a caller is limited to its share', () => {
  test('a caller with too many requests gets 429 with retry-after, and another caller is served', async () => {
    const greedyRequests = Array.from({ length: 60 }, () =>
      ask('{slow(args:{seconds: 0.2}){id}}', {}, 'greedy'),
    )
    const quietAnswer = await ask('{item(limit:1){id}}', {}, 'quiet')
    expect(quietAnswer.text).toMatch(/^{"data":/)
    const answers = await Promise.all(greedyRequests)
    const rejections = answers.filter(({ status }) => status === 429)
    expect(rejections.length).toBeGreaterThan(0)
    const waits = rejections.map(({ headers }) => Number(headers.get('retry-after')))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1)
    expect(Math.max(...waits)).toBeLessThanOrEqual(30)
    expect(rejections[0]?.body).toMatchObject(rejection('rate-limit-exceeded', /too many requests/))
    expect(answers.length - rejections.length).toBeGreaterThan(0)
  })

  test('requests of different users of one team count as one caller', async () => {
    const greedyRequests = Array.from({ length: 60 }, (_, i) =>
      ask('{slow(args:{seconds: 0.2}){id}}', {}, `team ${i}`),
    )
    expect((await Promise.all(greedyRequests)).map(({ status }) => status)).toContain(429)
  })
})

describe('callers on WebSockets are limited', () => {
  test('a query on a WebSocket gets its response before a later HTTP query of the same caller', async () => {
    const ws = await connect('turns')
    const slow = (n: number) => ask(`{slow(args:{seconds: 0.30${n}}){id}}`, {}, 'turns')
    const first = slow(1)
    await vi.waitUntil(async () => (await countRunning('slow')) === 1)
    ws.send({ type: 'subscribe', id: '1', payload: { query: '{item(limit:1){id}}' } })
    ws.ws.ping()
    await once(ws.ws, 'pong')
    const order: string[] = []
    const second = slow(2).then(() => order.push('later query'))
    await nextMessageOf(ws, 'next').then(() => order.push('query'))
    await Promise.all([first, second])
    expect(order).toEqual(['query', 'later query'])
    ws.ws.close()
  })

  test('a caller can have at most 20 operations on its sockets', async () => {
    const ws = await connect('ada')
    for (let i = 0; i < 21; i++)
      ws.send({
        type: 'subscribe',
        id: String(i),
        payload: { query: `subscription {item(limit:${i}){id}}` },
      })
    expect(await nextMessageOf(ws, 'error')).toMatchObject({
      id: '20',
      payload: [{ extensions: { code: 'start-failed' } }],
    })
    ws.ws.close()
  })

  test('a caller can have only ENGINE_CALLER_WEBSOCKETS sockets', async () => {
    const [first, second] = [await connect('sockets'), await connect('sockets')]
    const third = await openSocket(engine.url, 'graphql-transport-ws')
    third.send(await initOf('sockets'))
    expect((await third.closed).code).toBe(4403)
    const other = await connect('other')
    first.ws.close()
    await first.closed
    const again = await connect('sockets')
    for (const { ws } of [second, other, again]) ws.close()
  })

  test('statements stop for subscribers that disconnected', async () => {
    const ws = await connect('gone')
    for (let i = 0; i < 10; i++)
      ws.send({
        type: 'subscribe',
        id: String(i),
        payload: { query: `subscription {slow(args:{seconds: 0.3${i}}){id}}` },
      })
    await vi.waitUntil(async () => (await countRunning('slow')) > 0, { timeout: 20_000 })
    ws.ws.terminate()
    await vi.waitUntil(async () => (await countRunning('slow')) === 0, { timeout: 20_000 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await countRunning('slow')).toBe(0)
  })
})

test('a connection keeps at most 500 prepared statements', async () => {
  for (let i = 0; i < 520; i++) {
    const query = `{item(limit:1){a${i}:id}}`
    await engine.graphql(query)
    await engine.graphql(query)
  }
  // Polls, because the engine's background work may occupy the connection of these statements. Then another connection
  // runs the count.
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

/** Counts the running statements with this text. */
async function countRunning(text: string): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int from pg_stat_activity
     where query like '%' || $1 || '%' and state = 'active' and pid <> pg_backend_pid() and datname = current_database()`,
    [text],
  )
  return Number(rows[0]?.count)
}
