import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query('create table item (id int primary key)')
  // With a single connection, the next mutation succeeds only if the engine closes the read-only connection.
  engine = await serveEngineHere(db.url, { HASURA_GRAPHQL_PG_CONNECTIONS: '1' })
  await engine.post('/v1/metadata', replace(metadata([table('item')])))
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

const insert = async (id: number) =>
  (await engine.graphql(`mutation { insert_item_one(object: {id: ${id}}) { id } }`)).body

const name = async () => (await db.query('select current_database() as name')).rows[0].name

/** Closes the engine's connections and makes new connections read-only, as if the database had become a standby. */
async function demote() {
  await db.onCluster(`alter database ${await name()} set default_transaction_read_only = on`)
  await db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
}

test('a write that a standby rejects gets a connection error, and a later mutation gets a new connection', async () => {
  await demote()
  await expect
    .poll(async () => (await engine.graphql('{ item { id } }')).body)
    .toEqual({ data: { item: [] } })
  const readOnly = {
    message: 'connection error',
    extensions: { code: 'postgres-error', path: '$' },
  }
  expect(await insert(1)).toEqual({ errors: [readOnly] })
  // Open connections stay read-only, like connections to a former primary.
  await db.onCluster(`alter database ${await name()} reset default_transaction_read_only`)
  await expect.poll(() => insert(2)).toEqual({ data: { insert_item_one: { id: 2 } } })
  expect((await db.query('select id from item')).rows).toEqual([{ id: 2 }])
})
