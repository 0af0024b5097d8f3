import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'
import { type Database, database } from '../../../../test/support/database.ts'
import {
  type PgBouncer,
  pgBouncerVersion,
  startPgBouncer,
} from '../../../../test/support/pgbouncer.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, type ServedEngine } from '../support/start-engine.ts'

const version = pgBouncerVersion()

/** PgBouncer supports prepared statements since version 1.21. */
const SETTINGS = {
  HASURA_GRAPHQL_USE_PREPARED_STATEMENTS: String((version ?? 0) >= 1.21),
  ENGINE_STATEMENT_TIMEOUT_MS: '1500',
}

describe.runIf(version !== null)('the engine works behind PgBouncer in transaction mode', () => {
  const folder = temporaryFolder('migrations-')
  let db: Database
  let pooler: PgBouncer
  let engine: ServedEngine

  const migrate = (name: string, sql: string) => {
    mkdirSync(join(folder, 'default', name), { recursive: true })
    writeFileSync(join(folder, 'default', name, 'up.sql'), sql)
  }
  const serve = () =>
    serveEngineHere(pooler.url, { ...SETTINGS, HASURA_GRAPHQL_MIGRATIONS_DIR: folder })

  beforeAll(async () => {
    db = await database()
    pooler = await startPgBouncer(db.url)
    migrate('1_other', 'create schema other; set search_path to other; create table a (id int)')
    migrate('2_item', 'create table item (id int primary key)')
    migrate('3_nap', 'create view nap as select id, pg_sleep(60)::text as slept from item')
    engine = await serve()
    await engine.post('/v1/metadata', replace(metadata([table('item'), table('nap')])))
    await engine.graphql('mutation { insert_item_one(object: {id: 1}) { id } }')
  })
  afterAll(async () => {
    await engine?.stop()
    await pooler?.stop()
    await db?.drop()
    rmSync(folder, { recursive: true })
  })

  const countSleeping = async () =>
    (
      await db.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event = 'PgSleep' and state = 'active'`,
      )
    ).rowCount

  test('migrations leave no lock and no setting in shared sessions', async () => {
    const tables = `select relnamespace::regnamespace::text as schema from pg_class where relname in ('a', 'item') order by relname`
    expect((await db.query(tables)).rows).toEqual([{ schema: 'other' }, { schema: 'public' }])
    const locks = `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
    expect((await db.query(locks)).rowCount).toBe(0)
    // The next engine must take the lock in any session that it gets.
    migrate('4_more', 'create table more (id int)')
    await (await serve()).stop()
    expect((await db.query(`select to_regclass('more')::text as name`)).rows).toEqual([
      { name: 'more' },
    ])
  })

  test('reads and mutations of many callers share two sessions', async () => {
    const changes = Array.from({ length: 40 }, (_, i) =>
      engine.graphql(`mutation { insert_item_one(object: {id: ${i + 10}}) { id } }`),
    )
    const reads = Array.from({ length: 40 }, () =>
      engine.graphql('{ item(where: {id: {_eq: 1}}) { id } }'),
    )
    for (const { body } of await Promise.all(reads))
      expect(body).toEqual({ data: { item: [{ id: 1 }] } })
    for (const { body } of await Promise.all(changes)) expect(body).toMatchObject({ data: {} })
    const { rows } = await db.query('select count(*)::int from item where id >= 10')
    expect(rows).toEqual([{ count: 40 }])
  })

  test('a statement that takes too long is cancelled although PgBouncer passes no time limit on', async () => {
    const { body } = await engine.graphql('{ nap { slept } }')
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'timeout' } }] })
    await expect.poll(countSleeping).toBe(0)
  })

  test('a caller that disconnects cancels its statement, and the next request is answered', async () => {
    const abort = new AbortController()
    const answer = fetch(`${engine.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'x-hasura-admin-secret': ADMIN_SECRET },
      body: JSON.stringify({ query: '{ nap { slept } }' }),
      signal: abort.signal,
    })
    await expect.poll(countSleeping).toBe(1)
    abort.abort()
    await expect(answer).rejects.toThrow()
    await expect.poll(countSleeping).toBe(0)
    expect((await engine.graphql('{ item(where: {id: {_eq: 1}}) { id } }')).body).toEqual({
      data: { item: [{ id: 1 }] },
    })
  })
})
