import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { holdAdvisoryLock } from '../support/advisory-lock.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table item (id int primary key);
    insert into item values (1);
    create view nap as select id, pg_advisory_xact_lock(1)::text as slept from item`)
  engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_PG_CONNECTIONS: '1',
    ENGINE_CONNECT_TIMEOUT_MS: '2000',
  })
  const tables = ['item', 'nap'].map((table) => ({ table }))
  const sources = [{ name: 'default', kind: 'postgres', tables }]
  await engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: { metadata: { version: 3, sources } },
  })
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

test('a request that waits too long for a busy connection fails, and the running request succeeds', async () => {
  const lock = await holdAdvisoryLock(db)
  const slow = engine.graphql('{nap {id slept}}')
  await lock.waitUntilRequested()
  const lateAnswers = await Promise.all([1, 2].map(() => engine.graphql('{item {id}}')))
  for (const { body } of lateAnswers)
    expect(body).toMatchObject({ errors: [{ message: 'connection error' }] })
  await lock.release()
  expect((await slow).body).toEqual({ data: { nap: [{ id: 1, slept: '' }] } })
})
