import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { runSql, table } from '../support/metadata.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { openReadySocket } from '../support/socket.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let home: Database
let other: Database
let engine: ServedEngine
let hook: Receiver

const ROLE = { 'x-hasura-role': 'someone' }

beforeAll(async () => {
  home = await database()
  other = await database()
  await home.query(
    "create table lamp (id int primary key, place text); insert into lamp values (1, 'home')",
  )
  await other.query(
    "create table lamp (id int primary key, place text); insert into lamp values (1, 'other')",
  )
  hook = await startReceiver(() => ({ status: 200, body: { done: true } }))
  engine = await serveEngineHere(home.url, environment())
})
afterAll(async () => {
  await engine?.stop()
  await hook?.close()
  await other?.drop()
  await home?.drop()
})

function environment() {
  return {
    OTHER_DATABASE: other.url,
    HOOK: hook.url,
    HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: '50',
    HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: '50',
  }
}

/** Returns the command that replaces the metadata with a source at this URL. */
function sourceAt(databaseUrl: unknown, lamp: object = {}, members: object = {}) {
  const configuration = { connection_info: { database_url: databaseUrl } }
  const sources = [
    { name: 'default', kind: 'postgres', configuration, tables: [table('lamp', lamp)] },
  ]
  const metadata = { version: 3, sources, ...members }
  return {
    type: 'replace_metadata',
    version: 2,
    args: { allow_inconsistent_metadata: true, metadata },
  }
}

async function useSource(...at: Parameters<typeof sourceAt>) {
  return (await engine.post('/v1/metadata', sourceAt(...at))).body
}

const places = async () => (await engine.graphql('{lamp {place}}')).body
const placeIs = (place: string) => ({ data: { lamp: [{ place }] } })

test('a source can be given by a URL, a variable or connection parameters', async () => {
  const { hostname: host, port, username, password, pathname } = new URL(other.url)
  const parts = { host, port: Number(port), username, password, database: pathname.slice(1) }
  for (const address of [
    other.url,
    { from_env: 'OTHER_DATABASE' },
    { connection_parameters: parts },
  ]) {
    expect(await useSource({ from_env: 'HASURA_GRAPHQL_DATABASE_URL' })).toMatchObject(CONSISTENT)
    expect(await places()).toEqual(placeIs('home'))
    expect(await useSource(address)).toMatchObject(CONSISTENT)
    expect(await places()).toEqual(placeIs('other'))
  }
})

const CONSISTENT = { is_consistent: true, inconsistent_objects: [] }

test("mutations, checks and run_sql use the source's database, and the metadata stays in the metadata database", async () => {
  const check = { place: { _neq: 'nowhere' } }
  const insert_permissions = [{ role: 'someone', permission: { check, columns: '*' } }]
  await useSource(other.url, { insert_permissions })
  const insert = (place: string) =>
    engine.graphql(
      `mutation {insert_lamp(objects: {id: 2, place: "${place}"}) {affected_rows}}`,
      {},
      ROLE,
    )
  expect((await insert('nowhere')).body).toMatchObject({
    errors: [{ extensions: { code: 'permission-error' } }],
  })
  expect((await insert('here')).body).toEqual({ data: { insert_lamp: { affected_rows: 1 } } })
  const { body } = await engine.post('/v2/query', runSql('select place from lamp order by id'))
  expect(body).toMatchObject({ result: [['place'], ['other'], ['here']] })
  expect((await home.query('select * from lamp')).rowCount).toBe(1)
  const rows = await home.query('select metadata from hdb_catalog.hdb_metadata')
  expect(JSON.stringify(rows.rows)).toContain(new URL(other.url).pathname)
  await other.query('delete from lamp where id = 2')
})

test("event triggers use the source's database, and asynchronous actions use the metadata database", async () => {
  const event_triggers = [
    {
      name: 'lit',
      webhook: '{{HOOK}}/lit',
      retry_conf: { num_retries: 0, interval_sec: 1, timeout_sec: 10 },
      definition: { enable_manual: false, insert: { columns: '*' } },
    },
  ]
  const definition = { kind: 'asynchronous', handler: '{{HOOK}}/act', output_type: 'Done' }
  const custom_types = { objects: [{ name: 'Done', fields: [{ name: 'done', type: 'Boolean' }] }] }
  const actions = [{ name: 'act', definition }]
  await useSource(other.url, { event_triggers }, { actions, custom_types })
  await expect.poll(triggersInstalled).toBe(1)
  await engine.graphql('mutation {insert_lamp(objects: {id: 3, place: "lit"}) {affected_rows}}')
  await engine.graphql('mutation {act}')
  await expect.poll(() => hook.received.map(({ url }) => url).sort()).toEqual(['/act', '/lit'])
  const delivered = 'select from hdb_catalog.event_log where delivered'
  await expect.poll(async () => (await other.query(delivered)).rowCount).toBe(1)
  expect((await home.query('select from hdb_catalog.hdb_action_log')).rowCount).toBe(1)
  expect((await other.query('select from hdb_catalog.hdb_action_log')).rowCount).toBe(0)
  await other.query('delete from lamp where id = 3')
})

async function triggersInstalled() {
  const { rowCount } = await other.query(
    "select from pg_trigger where tgname like 'notify_hasura_lit%'",
  )
  return rowCount
}

test('a subscription ends when its source moves to another database, and a new subscription reads that database', async () => {
  await useSource(home.url)
  const payload = { query: 'subscription {lamp {place}}' }
  const before = await openReadySocket(engine.url)
  before.send({ type: 'subscribe', id: 'a', payload })
  expect(await before.next()).toMatchObject({ payload: placeIs('home') })
  await useSource(other.url)
  await before.closed
  const after = await openReadySocket(engine.url)
  after.send({ type: 'subscribe', id: 'a', payload })
  expect(await after.next()).toMatchObject({ payload: placeIs('other') })
  after.ws.close()
})

test('a second engine serves the source of the current metadata', async () => {
  await useSource(other.url)
  const secondEngine = await serveEngineHere(home.url, environment())
  expect((await secondEngine.graphql('{lamp {place}}')).body).toEqual(placeIs('other'))
  await useSource({ from_env: 'HASURA_GRAPHQL_DATABASE_URL' })
  await expect
    .poll(async () => (await secondEngine.graphql('{lamp {place}}')).body)
    .toEqual(placeIs('home'))
  await secondEngine.stop()
})

test.each([
  ['an unset variable', { from_env: 'NOWHERE' }, "environment variable 'NOWHERE' not set"],
  ['a database that does not answer', 'postgres://nobody@127.0.0.1:9/none', 'connection error'],
  ['a URL of another kind of database', 'mysql://nobody@127.0.0.1:9/none', 'postgres://'],
  ['a URL from a file', { dynamic_from_file: '/tmp/url' }, 'not supported'],
])('%s makes the source inconsistent and removes its fields', async (_what, at, reason) => {
  expect(await useSource(at)).toEqual({
    is_consistent: false,
    inconsistent_objects: [
      {
        type: 'source',
        name: 'source default',
        definition: 'default',
        reason: expect.stringContaining(reason),
      },
    ],
  })
  expect(await places()).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
  expect((await engine.post('/v2/query', runSql('select 1'))).body).toMatchObject({
    code: 'unexpected',
    path: '$',
    error: 'source with name "default" is inconsistent',
  })
  expect((await fetch(`${engine.url}/healthz`)).status).toBe(200)
})

test('a source is served after its database was created and the metadata reloaded', async () => {
  const lateUrl = new URL(other.url)
  lateUrl.pathname = '/late_database'
  await other.onCluster('drop database if exists late_database with (force)')
  expect(await useSource(lateUrl.href)).toMatchObject({ is_consistent: false })
  await other.onCluster('create database late_database')
  await engine.post('/v1/metadata', { type: 'reload_metadata', args: {} })
  const create =
    "create table lamp (id int primary key, place text); insert into lamp values (1, 'late')"
  await engine.post('/v2/query', runSql(create))
  await engine.post('/v1/metadata', { type: 'reload_metadata', args: {} })
  expect(await places()).toEqual(placeIs('late'))
  await useSource(home.url)
  await other.onCluster('drop database late_database with (force)')
})

test("migrations run once on the source's database and are recorded in the metadata database", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'source-'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write('metadata/version.yaml', 'version: 3')
  // JSON is valid YAML.
  const { metadata } = sourceAt(other.url).args
  write('metadata/databases/databases.yaml', JSON.stringify(metadata.sources))
  write('migrations/default/1_bulbs/up.sql', 'create table bulb (id int)')
  write('migrations/default/2_more/up.sql', 'insert into bulb values (1)')
  const variables = {
    HASURA_GRAPHQL_METADATA_DIR: join(folder, 'metadata'),
    HASURA_GRAPHQL_MIGRATIONS_DIR: join(folder, 'migrations'),
  }
  await (await serveEngineHere(home.url, variables)).stop()
  const bulbs = async ({ query }: Database) => (await query("select to_regclass('bulb') as t")).rows
  expect([await bulbs(home), await bulbs(other)]).toEqual([[{ t: null }], [{ t: 'bulb' }]])
  const notes = async ({ query }: Database) =>
    (await query('select cli_state from hdb_catalog.hdb_version')).rows[0].cli_state
  expect((await notes(home)).migrations).toEqual({ default: { '1': false, '2': false } })
  expect((await notes(other)).engine_migrations).toEqual({ default: {} })
  // Imitates an engine that ended between both records: the second migration must not run again.
  await home.query(
    "update hdb_catalog.hdb_version set cli_state = cli_state #- '{migrations,default,2}'",
  )
  await other.query(
    `update hdb_catalog.hdb_version set cli_state = jsonb_set(cli_state, '{engine_migrations,default,2}', 'false')`,
  )
  await (await serveEngineHere(home.url, variables)).stop()
  expect((await other.query('select * from bulb')).rowCount).toBe(1)
  expect((await notes(home)).migrations).toEqual({ default: { '1': false, '2': false } })
  rmSync(folder, { recursive: true })
})
