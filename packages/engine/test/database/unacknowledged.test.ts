import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Postgres, startPostgres } from '../../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

const folder = temporaryFolder('unacknowledged-')
let postgres: Postgres
let engine: ServedEngine
let client: Client

beforeAll(async () => {
  postgres = await startPostgres({
    folder: join(folder, 'cluster'),
    port: await freePort(),
    // No standby exists; only commits with `synchronous_commit = on` wait for one.
    settings: ['fsync=off', 'synchronous_standby_names=nobody', 'synchronous_commit=local'],
  })
  client = new Client(postgres.url)
  await client.connect()
  await client.query('create table item (id int primary key)')
  await client.query('create table replicated_item (id int primary key)')
  await client.query('create table late_item (id int primary key)')
  await client.query(`create function commit_on_standby() returns trigger language plpgsql
    as $$ begin perform set_config('synchronous_commit', 'on', true); return new; end $$`)
  await client.query(`create trigger commit_on_standby before insert on replicated_item
    for each row execute function commit_on_standby()`)
  await client.query(`create function check_late() returns trigger language plpgsql
    as 'begin return null; end'`)
  await client.query(`create constraint trigger check_late after insert on late_item
    deferrable initially deferred for each row execute function check_late()`)
  engine = await serveEngineHere(postgres.url, { ENGINE_STATEMENT_TIMEOUT_MS: '500' })
  const tables = ['item', 'replicated_item', 'late_item'].map((name) => table(name))
  await engine.post('/v1/metadata', replace(metadata(tables)))
})
afterAll(async () => {
  await engine?.stop()
  await client?.end()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a commit that no standby confirms is reported as a timeout', async () => {
  const insert = await engine.graphql(
    'mutation { insert_replicated_item_one(object: {id: 1}) { id } }',
  )
  expect(insert.body).toMatchObject({ errors: [{ extensions: { code: 'timeout' } }] })
})

test.each([
  ['a pooler without its server', '08P01', 'connection error'],
  ['a shutdown', '57P01', 'connection error'],
  ['a time limit', '57014', 'the statement took too long, or its caller disconnected'],
])('a commit ended by %s gets the same error as a statement', async (_name, code, message) => {
  await client.query(`create or replace function check_late() returns trigger language plpgsql
    as $$ begin raise exception using errcode = '${code}'; end $$`)
  const insert = await engine.graphql('mutation { insert_late_item_one(object: {id: 1}) { id } }')
  expect(insert.body).toMatchObject({ errors: [{ message }] })
})

test('each statement of a mutation has its own time limit', async () => {
  await client.query(`create function rest() returns trigger language plpgsql
    as 'begin perform pg_sleep(0.4); return new; end'`)
  await client.query(
    'create trigger rest before insert on item for each row execute function rest()',
  )
  const fields = [11, 12, 13, 14].map((id) => `i${id}: insert_item_one(object: {id: ${id}}) { id }`)
  const { body } = await engine.graphql(`mutation { ${fields.join(' ')} }`)
  expect(body).toEqual({
    data: Object.fromEntries([11, 12, 13, 14].map((id) => [`i${id}`, { id }])),
  })
})
