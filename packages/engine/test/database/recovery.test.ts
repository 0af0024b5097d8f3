import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { openReadySocket } from '../support/socket.ts'
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

/** Counts the running statements of other connections that contain `slow`. */
async function countAsleep(): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and state = 'active' and query like '%slow%' and pid <> pg_backend_pid()`,
  )
  return rows[0].n
}

test('a request on a dropped connection fails, and a later request succeeds', async () => {
  const answer = engine.graphql('{slow {id}}')
  await expect.poll(countAsleep).toBe(1)
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

test('a caller that disconnects cancels its statement', async () => {
  const abort = new AbortController()
  const answer = fetch(`${engine.url}/v1/graphql`, {
    method: 'POST',
    headers: { 'x-hasura-admin-secret': ADMIN_SECRET },
    body: JSON.stringify({ query: '{slow {id}}' }),
    signal: abort.signal,
  })
  await expect.poll(countAsleep).toBe(1)
  abort.abort()
  await expect(answer).rejects.toThrow()
  await expect.poll(countAsleep).toBe(0)
})

test("a subscription's statement is cancelled when its last subscriber leaves", async () => {
  const [first, second] = await Promise.all([
    openReadySocket(engine.url),
    openReadySocket(engine.url),
  ])
  const subscribe = { id: '1', type: 'subscribe', payload: { query: 'subscription {slow {id}}' } }
  first.send(subscribe)
  await expect.poll(countAsleep).toBe(1)
  second.send(subscribe)
  // The answer shows that the engine has read the earlier messages.
  second.send({ type: 'ping' })
  await second.next()
  first.ws.terminate()
  await expect.poll(countAsleep).toBe(1)
  second.ws.terminate()
  await expect.poll(countAsleep).toBe(0)
})

test('a caller that disconnects cancels its statement although it occupies the only connection', async () => {
  const smallEngine = await startEngine(db.url, { HASURA_GRAPHQL_PG_CONNECTIONS: '1' })
  const abort = new AbortController()
  const answer = fetch(`${smallEngine.url}/v1/graphql`, {
    method: 'POST',
    headers: { 'x-hasura-admin-secret': ADMIN_SECRET },
    body: JSON.stringify({ query: '{slow {id}}' }),
    signal: abort.signal,
  })
  await expect.poll(countAsleep).toBe(1)
  abort.abort()
  await expect(answer).rejects.toThrow()
  await expect.poll(countAsleep).toBe(0)
  await smallEngine.stop()
})

test('statements that wait in a queue or a batch do not start after their caller has disconnected', async () => {
  const smallEngine = await startEngine(db.url, { HASURA_GRAPHQL_PG_CONNECTIONS: '1' })
  const insert = (id: number) => ({
    query: `mutation {insert_item_one(object: {id: ${id}}) {id}}`,
  })
  const ask = (body: unknown, { signal }: AbortController) =>
    fetch(`${smallEngine.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'x-hasura-admin-secret': ADMIN_SECRET },
      body: JSON.stringify(body),
      signal,
    }).catch(() => 'gone')
  /** Waits until the engine has read earlier requests; this path needs no database. */
  const hasReadAll = async () => {
    for (let i = 0; i < 5; i++) await (await fetch(`${smallEngine.url}/v1/version`)).text()
  }
  const [first, second] = [new AbortController(), new AbortController()]
  const batch = ask([{ query: '{slow {id}}' }, insert(98)], first)
  await expect.poll(countAsleep).toBe(1)
  const queued = ask(insert(99), second)
  await hasReadAll()
  second.abort()
  await hasReadAll()
  first.abort()
  expect(await Promise.all([batch, queued])).toEqual(['gone', 'gone'])
  await expect
    .poll(async () => (await smallEngine.graphql('{item {id}}')).body)
    .toEqual({ data: { item: [{ id: 1 }] } })
  await smallEngine.stop()
  expect((await engine.graphql('{item {id}}')).body).toEqual({ data: { item: [{ id: 1 }] } })
})

test('callers that disconnect do not cancel the statements of other callers', async () => {
  const leave = async () => {
    const abort = new AbortController()
    const answer = fetch(`${engine.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'x-hasura-admin-secret': ADMIN_SECRET },
      body: JSON.stringify({ query: '{item {id}}' }),
      signal: abort.signal,
    }).catch(() => null)
    setImmediate(() => abort.abort())
    await answer
  }
  const stay = async () => (await engine.graphql('{item {id}}')).body
  const requests = Array.from({ length: 300 }, (_, i) => (i % 2 ? leave() : stay()))
  const answers = (await Promise.all(requests)).filter((answer) => answer !== undefined)
  for (const answer of answers) expect(answer).toEqual({ data: { item: [{ id: 1 }] } })
})

test('a statement that takes too long is reported as a timeout', async () => {
  const hastyEngine = await startEngine(db.url, { ENGINE_STATEMENT_TIMEOUT_MS: '2500' })
  const { body } = await hastyEngine.graphql('{slow {id}}')
  expect(body).toMatchObject({ errors: [{ extensions: { path: '$', code: 'timeout' } }] })
  await hastyEngine.stop()
})

test('a dropped column fails requests until a reload removes it from the schema', async () => {
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
