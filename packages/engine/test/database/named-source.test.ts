import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { serveEngineHere } from '../support/serve-here.ts'

let db: Database
let project: string

beforeEach(async () => {
  db = await database()
  project = mkdtempSync(join(tmpdir(), 'named-source-'))
})
afterEach(async () => {
  rmSync(project, { recursive: true })
  await db.drop()
})

function write(file: string, text: string) {
  mkdirSync(dirname(join(project, file)), { recursive: true })
  writeFileSync(join(project, file), text)
}

/** Writes a project with a single source, which has a custom name, a custom URL and one table. */
function writeShop(include = 'our shop/tables.yaml') {
  write(
    'metadata/databases/databases.yaml',
    `- name: our shop
  kind: postgres
  configuration:
    connection_info:
      database_url:
        from_env: PG_DATABASE_URL
  tables: "!include ${include}"
`,
  )
  write('metadata/databases/our shop/tables.yaml', '- table: {schema: public, name: item}\n')
  write(
    'migrations/our shop/1_init/up.sql',
    `create table item (name text); insert into item values ('lamp')`,
  )
}

function serve(variables: Record<string, string | null> = {}) {
  return serveEngineHere(db.url, {
    PG_DATABASE_URL: db.url,
    HASURA_GRAPHQL_METADATA_DIR: join(project, 'metadata'),
    HASURA_GRAPHQL_MIGRATIONS_DIR: join(project, 'migrations'),
    ...variables,
  })
}

async function itemsOf(engine: Awaited<ReturnType<typeof serve>>) {
  const { body } = await engine.graphql('{item {name}}')
  await engine.stop()
  return body
}

const LAMP = { data: { item: [{ name: 'lamp' }] } }

async function migrationsByCli() {
  const { rows } = await db.query(
    `select cli_state -> 'migrations' as state from hdb_catalog.hdb_version`,
  )
  return rows[0].state
}

test("migrations in the folder of the source's name are applied and recorded under that name", async () => {
  writeShop()
  write('migrations/default/1_old/up.sql', 'this is not SQL')
  expect(await itemsOf(await serve())).toEqual(LAMP)
  expect(await migrationsByCli()).toEqual({ 'our shop': { '1': false } })
  expect(await itemsOf(await serve())).toEqual(LAMP)
})

test("migrations outside a source's folder are recorded under the only source's name", async () => {
  writeShop()
  rmSync(join(project, 'migrations'), { recursive: true })
  write('migrations/1_init/up.sql', `create table item (name text)`)
  await (await serve()).stop()
  expect(await migrationsByCli()).toEqual({ 'our shop': { '1': false } })
})

test("the engine starts with the variables of Hasura's compose file", async () => {
  writeShop()
  const engine = await serve({
    HASURA_GRAPHQL_DATABASE_URL: null,
    HASURA_GRAPHQL_METADATA_DATABASE_URL: db.url,
  })
  expect(await itemsOf(engine)).toEqual(LAMP)
})

test('the metadata can be in a separate database', async () => {
  const home = await database()
  writeShop()
  await db.query(`create table item (name text); insert into item values ('lamp')`)
  const engine = await serve({
    HASURA_GRAPHQL_METADATA_DATABASE_URL: home.url,
    HASURA_GRAPHQL_MIGRATIONS_DIR: null,
  })
  expect(await itemsOf(engine)).toEqual(LAMP)
  const counts = await Promise.all(
    [db, home].map(({ query }) => query('select count(*)::int as n from hdb_catalog.hdb_metadata')),
  )
  expect(counts.map(({ rows }) => rows[0].n)).toEqual([0, 1])
  await home.drop()
})

test('a metadata folder with backslashes in its includes is read', async () => {
  writeShop('our shop\\\\tables.yaml')
  expect(await itemsOf(await serve())).toEqual(LAMP)
})
