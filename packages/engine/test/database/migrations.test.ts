import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { startEngine } from '../support/start-engine.ts'

let db: Database
let folder: string

beforeEach(async () => {
  db = await database()
  folder = mkdtempSync(join(tmpdir(), 'migrations-'))
})

afterEach(async () => {
  rmSync(folder, { recursive: true })
  await db.drop()
})

function write(name: string, sql: string, source = 'default') {
  mkdirSync(join(folder, source, name), { recursive: true })
  writeFileSync(join(folder, source, name, 'up.sql'), sql)
}

const start = () => serveEngineHere(db.url, { HASURA_GRAPHQL_MIGRATIONS_DIR: folder })

async function recordedMigrations() {
  const { rows } = await db.query(
    `select cli_state -> 'migrations' as state from hdb_catalog.hdb_version`,
  )
  return rows[0].state
}

test("migrations run once, in the order of their numbers, and are recorded like the CLI's", async () => {
  write('10_c', `insert into step values ('c')`)
  write('2_b', `insert into step values ('b')`)
  write(
    '1_a',
    `create table step (name text, n int generated always as identity); insert into step (name) values ('a')`,
  )
  await (await start()).stop()
  await (await start()).stop()
  expect((await db.query('select name from step order by n')).rows).toEqual([
    { name: 'a' },
    { name: 'b' },
    { name: 'c' },
  ])
  expect(await recordedMigrations()).toEqual({ default: { '1': false, '2': false, '10': false } })
})

test('two migrations of one version are rejected before any runs', async () => {
  write('1_a', 'create table a (id int)')
  write('2_b', 'create table b (id int)')
  write('02_c', 'create table c (id int)')
  await expect(start()).rejects.toThrow(/two migrations have the version 2: .*2_/)
  expect((await db.query("select to_regclass('a') as a")).rows).toEqual([{ a: null }])
})

test('migrations can be files or folders, and other files are ignored', async () => {
  write('1_a', 'create table step (name text)')
  writeFileSync(join(folder, 'default', '2_b.up.sql'), `insert into step values ('b')`)
  writeFileSync(join(folder, 'default', '2_b.down.sql'), 'drop table step')
  // The folder of version 2 has only an empty file. The folder of version 3 has the direction that the other file lacks.
  for (const [version, down] of [
    ['2_b', ''],
    ['3_c', 'delete from step'],
  ] as const) {
    mkdirSync(join(folder, 'default', version), { recursive: true })
    writeFileSync(join(folder, 'default', version, 'down.sql'), down)
  }
  writeFileSync(join(folder, 'default', '03_c.up.sql'), `insert into step values ('c')`)
  for (const file of ['README.md', '1000-notes.md', '.gitkeep', '7.up.sql', '8_up.sql'])
    writeFileSync(join(folder, 'default', file), 'nothing')
  mkdirSync(join(folder, 'default', 'archive'))
  writeFileSync(join(folder, 'default', 'archive', 'up.sql'), 'select 1/0')
  mkdirSync(join(folder, 'default', '9_metadata'))
  writeFileSync(join(folder, 'default', '9_metadata', 'up.yaml'), '- type: clear_metadata')
  await (await start()).stop()
  expect((await db.query('select name from step')).rows).toEqual([{ name: 'b' }, { name: 'c' }])
  expect(await recordedMigrations()).toEqual({ default: { '1': false, '2': false, '3': false } })
})

test.each([
  ['up', /two migrations have the version 4: .*4_a/],
  ['down', /two migrations have the version 4: .*4_a/],
])(
  'a file and a folder of one version that both have the direction %s are rejected',
  async (direction, message) => {
    write('4_a', 'select 1')
    writeFileSync(join(folder, 'default', '4_a', 'down.sql'), 'select 1')
    writeFileSync(join(folder, 'default', `4_a.${direction}.sql`), 'select 1')
    await expect(start()).rejects.toThrow(message)
  },
)

test('a migration with only a down.sql is rejected', async () => {
  mkdirSync(join(folder, 'default', '5_a'), { recursive: true })
  writeFileSync(join(folder, 'default', '5_a', 'down.sql'), 'drop table a')
  await expect(start()).rejects.toThrow(/migration 5 has .*down\.sql, but no up\.sql/)
})

test('a version recorded with leading zeros is not applied again', async () => {
  await (await start()).stop()
  await db.query(
    `update hdb_catalog.hdb_version set cli_state = '{"migrations": {"default": {"0001": false}}}'`,
  )
  write('0001_a', 'select 1/0')
  await (await start()).stop()
})

test('migrations that the CLI has applied do not run again', async () => {
  await (await start()).stop()
  await db.query(
    `update hdb_catalog.hdb_version set cli_state = '{"migrations": {"default": {"1": false}}, "settings": {"migration_mode": "true"}}'`,
  )
  write('1_a', 'this is not SQL')
  write('2_b', 'create table b (id int)')
  await (await start()).stop()
  expect(await recordedMigrations()).toEqual({ default: { '1': false, '2': false } })
  const { rows } = await db.query(
    `select cli_state -> 'settings' as settings from hdb_catalog.hdb_version`,
  )
  expect(rows).toEqual([{ settings: { migration_mode: 'true' } }])
})

test('a failed migration is rolled back and stops the start, with its version and line', async () => {
  write('1_a', 'create table a (id int)')
  write('2_b', 'create table b (id int);\ncreate table a (id int);')
  write('3_c', 'create table c (id int)')
  await expect(start()).rejects.toThrow(/migration 2: relation "a" already exists/)
  const tables = await db.query(`select relname from pg_class where relname in ('a', 'b', 'c')`)
  expect(tables.rows).toEqual([{ relname: 'a' }])
  expect(await recordedMigrations()).toEqual({ default: { '1': false } })
  write('2_b', 'creat table b (id int)')
  await expect(start()).rejects.toThrow(/migration 2: .*syntax error.*line 1/)
})

test('a setting of one migration does not affect the next', async () => {
  write('1_a', `create schema other; set search_path to other; create table a (id int)`)
  write('2_b', `create table b (id int)`)
  await (await start()).stop()
  const { rows } = await db.query(
    `select relnamespace::regnamespace::text as schema, relname from pg_class where relname in ('a', 'b') order by 2`,
  )
  expect(rows).toEqual([
    { schema: 'other', relname: 'a' },
    { schema: 'public', relname: 'b' },
  ])
})

test('three engines that start at the same time run each migration once', async () => {
  for (let n = 1; n <= 20; n += 1)
    write(`${n}_x`, n === 1 ? 'create table step (n int)' : `insert into step values (${n})`)
  const engines = await Promise.all([start(), start(), start()])
  await Promise.all(engines.map((engine) => engine.stop()))
  expect(
    (await db.query('select count(*)::int, count(distinct n)::int as different from step')).rows,
  ).toEqual([{ count: 19, different: 19 }])
})

test.each([
  ['with repeatable read as the default isolation', 'create table once (id int)'],
  [
    'if the migration commits on its own',
    'begin; create table once (id int); commit; select pg_sleep(0.5)',
  ],
])(
  'two engines that start at the same time run a migration only once, even %s',
  async (_where, sql) => {
    const { rows } = await db.query('select current_database() as name')
    await db.query(
      `alter database ${rows[0].name} set default_transaction_isolation = 'repeatable read'`,
    )
    write('1_once', sql)
    const engines = await Promise.all([start(), start()])
    await Promise.all(engines.map((engine) => engine.stop()))
    expect(await recordedMigrations()).toEqual({ default: { '1': false } })
  },
)

test('a migration that commits and then fails runs again at the next start', async () => {
  write('1_half', 'begin; create table if not exists half (id int); commit; select 1 / 0')
  await expect(start()).rejects.toThrow('division by zero')
  write('1_half', 'create table if not exists half (id int); insert into half values (1)')
  await (await start()).stop()
  expect((await db.query('select id from half')).rows).toEqual([{ id: 1 }])
})

test("a running engine serves the schema that another engine's migration changed", async () => {
  await db.query('create table a (id int)')
  const runningEngine = await start()
  await runningEngine.post('/v1/metadata', replace(metadata([table('a')])))
  write('1_a', 'alter table a add column label text')
  const startedEngine = await start()
  await expect
    .poll(async () => (await runningEngine.graphql('{a {label}}')).body)
    .toEqual({ data: { a: [] } })
  await Promise.all([runningEngine.stop(), startedEngine.stop()])
})

test('a start fails if the database accepts connections but does not answer', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const start = startEngine(`postgres://nobody@127.0.0.1:${port}/none`, {
    ENGINE_CONNECT_TIMEOUT_MS: '300',
  })
  await expect(start).rejects.toThrow(/The engine cannot start.*timeout/)
  server.close()
})
