import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { ready } from '../support/socket.ts'
import { ADMIN_SECRET, type RunningEngine, startEngine } from '../support/start-engine.ts'

let db: Database
let engine: RunningEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table item (id int primary key);
    insert into item values (1);
    create function slow() returns setof item language sql volatile as
      $$ select item.* from item, pg_sleep(100) $$`)
  engine = await startEngine(db.url, { ENGINE_STATEMENT_TIMEOUT_MS: '90000' })
  await engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: {
      metadata: {
        version: 3,
        sources: [
          {
            name: 'default',
            kind: 'postgres',
            tables: [{ table: 'item' }],
            functions: [{ function: 'slow', configuration: { exposed_as: 'query' } }],
          },
        ],
      },
    },
  })
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

/** Resolves when a statement sleeps in the database. */
async function asleep(): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and state = 'active' and query like '%slow%' and pid <> pg_backend_pid()`,
  )
  return rows[0].n
}

test('connections that the database drops fail their requests, and only those', async () => {
  const answer = engine.graphql('{slow {id}}')
  await expect.poll(asleep).toBe(1)
  await db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
  const { body } = await answer
  expect(body).toMatchObject({
    errors: [{ message: 'connection error', extensions: { code: 'postgres-error', path: '$' } }],
  })
  await expect
    .poll(async () => (await engine.graphql('{item {id}}')).body)
    .toEqual({ data: { item: [{ id: 1 }] } })
})

test('a caller who goes away takes the statement along', async () => {
  const gone = new AbortController()
  const answer = fetch(`${engine.url}/v1/graphql`, {
    method: 'POST',
    headers: { 'x-hasura-admin-secret': ADMIN_SECRET },
    body: JSON.stringify({ query: '{slow {id}}' }),
    signal: gone.signal,
  })
  await expect.poll(asleep).toBe(1)
  gone.abort()
  await expect(answer).rejects.toThrow()
  await expect.poll(asleep).toBe(0)
})

test('the statement of a subscription ends with its last subscriber, also when the first has left before', async () => {
  const [first, second] = await Promise.all([ready(engine.url), ready(engine.url)])
  const subscribe = { id: '1', type: 'subscribe', payload: { query: 'subscription {slow {id}}' } }
  first.send(subscribe)
  await expect.poll(asleep).toBe(1)
  second.send(subscribe)
  // Its answer shows that the engine has read what was sent before.
  second.send({ type: 'ping' })
  await second.next()
  first.ws.terminate()
  await expect.poll(asleep).toBe(1)
  second.ws.terminate()
  await expect.poll(asleep).toBe(0)
})

test('callers who go away take their statements along also where those have all connections', async () => {
  const narrow = await startEngine(db.url, { HASURA_GRAPHQL_PG_CONNECTIONS: '1' })
  const gone = new AbortController()
  const answer = fetch(`${narrow.url}/v1/graphql`, {
    method: 'POST',
    headers: { 'x-hasura-admin-secret': ADMIN_SECRET },
    body: JSON.stringify({ query: '{slow {id}}' }),
    signal: gone.signal,
  })
  await expect.poll(asleep).toBe(1)
  gone.abort()
  await expect(answer).rejects.toThrow()
  await expect.poll(asleep).toBe(0)
  await narrow.stop()
})

test('nothing is begun for callers who are gone: what waits for a connection, the rest of a batch', async () => {
  const narrow = await startEngine(db.url, { HASURA_GRAPHQL_PG_CONNECTIONS: '1' })
  const insert = (id: number) => ({
    query: `mutation {insert_item_one(object: {id: ${id}}) {id}}`,
  })
  const ask = (body: unknown, { signal }: AbortController) =>
    fetch(`${narrow.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'x-hasura-admin-secret': ADMIN_SECRET },
      body: JSON.stringify(body),
      signal,
    }).catch(() => 'gone')
  /** The engine has then read what came to it before: this is answered without the database. */
  const hasReadAll = async () => {
    for (let i = 0; i < 5; i++) await (await fetch(`${narrow.url}/v1/version`)).text()
  }
  const [first, second] = [new AbortController(), new AbortController()]
  const batch = ask([{ query: '{slow {id}}' }, insert(98)], first)
  await expect.poll(asleep).toBe(1)
  const waiting = ask(insert(99), second)
  await hasReadAll()
  second.abort()
  await hasReadAll()
  first.abort()
  expect(await Promise.all([batch, waiting])).toEqual(['gone', 'gone'])
  await expect
    .poll(async () => (await narrow.graphql('{item {id}}')).body)
    .toEqual({ data: { item: [{ id: 1 }] } })
  await narrow.stop()
  expect((await engine.graphql('{item {id}}')).body).toEqual({ data: { item: [{ id: 1 }] } })
})

test('callers who come and go do not take along the statements of others', async () => {
  const leave = async () => {
    const gone = new AbortController()
    const answer = fetch(`${engine.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'x-hasura-admin-secret': ADMIN_SECRET },
      body: JSON.stringify({ query: '{item {id}}' }),
      signal: gone.signal,
    }).catch(() => null)
    setImmediate(() => gone.abort())
    await answer
  }
  const stay = async () => (await engine.graphql('{item {id}}')).body
  const all = Array.from({ length: 300 }, (_, i) => (i % 2 ? leave() : stay()))
  const answers = (await Promise.all(all)).filter((answer) => answer !== undefined)
  for (const answer of answers) expect(answer).toEqual({ data: { item: [{ id: 1 }] } })
})

test('a statement that takes too long is ended', async () => {
  const hasty = await startEngine(db.url, { ENGINE_STATEMENT_TIMEOUT_MS: '2500' })
  const { body } = await hasty.graphql('{slow {id}}')
  expect(body).toMatchObject({ errors: [{ extensions: { path: '$', code: 'timeout' } }] })
  await hasty.stop()
})

test('a column that is dropped is an error of the request, and gone after a reload', async () => {
  await db.query('alter table item add column label text')
  await engine.post('/v1/metadata', { type: 'reload_metadata', args: {} })
  expect((await engine.graphql('{item {label}}')).body).toEqual({
    data: { item: [{ label: null }] },
  })
  await db.query('alter table item drop column label')
  expect((await engine.graphql('{item {label}}')).body).toMatchObject({ errors: [{}] })
  await engine.post('/v1/metadata', { type: 'reload_metadata', args: {} })
  expect((await engine.graphql('{item {label}}')).body).toMatchObject({
    errors: [{ extensions: { code: 'validation-failed' } }],
  })
  expect((await engine.graphql('{item {id}}')).body).toEqual({ data: { item: [{ id: 1 }] } })
})
