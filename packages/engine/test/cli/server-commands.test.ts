import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../../local/process/free-port.ts'
import { type Database, database } from '../../../../test/support/database.ts'
import { runEngineCommand } from '../support/cli/run-command.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, type ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine
let project: ProjectFolder

beforeEach(async () => {
  db = await database()
  engine = await serveEngineHere(db.url, { SHOP_DATABASE_URL: db.url })
  project = createProjectFolder({ endpoint: `${engine.url}/`, admin_secret: ADMIN_SECRET })
})
afterEach(async () => {
  await engine.stop()
  await db.drop()
  project.remove()
})

function run(...words: string[]) {
  return runEngineCommand([...words, '--project', project.folder])
}

test('apply brings a server to the state of the project, and a second apply changes nothing', async () => {
  const first = await run('apply', '--seeds')
  expect(first).toMatchObject({ code: 0, complaints: '' })
  expect(first.output).toBe(
    `migration 1_books applied\nseed books.sql applied\nmetadata applied to ${engine.url}`,
  )
  const answer = await engine.graphql('{ book { title } }', {}, { 'x-hasura-role': 'reader' })
  expect(answer.body).toEqual({ data: { book: [{ title: 'Emma' }] } })
  expect((await run('apply')).output).toBe(`metadata applied to ${engine.url}`)
})

test('status and diff list what apply would change, and change nothing', async () => {
  expect((await run('status')).output).toMatch(
    /^Migrations: 0 applied, 1 to apply\n {2}to apply {2}1_books\nMetadata: differs/,
  )
  const differences = await run('diff', '--exit-code')
  expect(differences.code).toBe(1)
  expect(differences.output).toContain('+  name: book')
  await run('apply')
  expect((await run('status')).output).toBe(
    'Migrations: 1 applied, 0 to apply\n  applied   1_books\nMetadata: same as the project',
  )
  expect(await run('diff', '--exit-code')).toMatchObject({
    code: 0,
    output: "The server's metadata is the project's.",
  })
})

test("export writes the server's metadata to the project and deletes files of untracked tables", async () => {
  await run('apply')
  const metadata = (type: string, args: object) =>
    engine.post('/v1/metadata', { type, args: { source: 'default', ...args } })
  await db.query('create table author (id int primary key)')
  await metadata('pg_track_table', { table: 'author' })
  await metadata('pg_untrack_table', { table: 'book' })
  project.write('metadata/notes.txt', 'ours')
  expect(await run('export')).toMatchObject({ code: 0, complaints: '' })
  const tables = 'metadata/databases/default/tables'
  expect(project.read(`${tables}/tables.yaml`)).toBe('- "!include public_author.yaml"\n')
  expect(existsSync(join(project.folder, tables, 'public_book.yaml'))).toBe(false)
  expect(project.read('metadata/notes.txt')).toBe('ours')
  expect((await run('diff')).output).toBe("The server's metadata is the project's.")
})

test('apply lists inconsistent metadata and fails', async () => {
  project.write(
    'metadata/databases/default/tables/public_book.yaml',
    'table: { name: book, schema: public }\nselect_permissions: [{ role: reader, permission: { columns: [author], filter: {} } }]',
  )
  const { code, complaints } = await run('apply')
  expect(code).toBe(1)
  expect(complaints).toMatch(
    /^The metadata is inconsistent\. Not served:\n.*column "author" does not exist/,
  )
})

test("apply reports a failed migration with PostgreSQL's error and keeps the earlier migrations", async () => {
  project.write('migrations/default/2_wrong/up.sql', 'create table author (id integr)')
  const { code, output, complaints } = await run('apply')
  expect(code).toBe(1)
  expect(output).toBe('migration 1_books applied')
  expect(complaints).toContain('type "integr" does not exist')
  expect((await run('status')).output).toContain('to apply  2_wrong')
})

test('apply changes nothing on the server if the metadata cannot be read', async () => {
  project.write('metadata/databases/databases.yaml', '- name: [')
  const { code, complaints } = await run('apply')
  expect(code).toBe(1)
  expect(complaints).toContain('databases.yaml')
  const { rows } = await db.query("select to_regclass('book') as book")
  expect(rows).toEqual([{ book: null }])
})

test('--admin-secret wins over the variable, which wins over .env and config.yaml', async () => {
  const status = (words: readonly string[], variables: Record<string, string>) =>
    runEngineCommand(['status', '--project', project.folder, ...words], variables)
  const wrongSecret = { HASURA_GRAPHQL_ADMIN_SECRET: 'wrong' }
  expect(await status([], wrongSecret)).toMatchObject({ code: 1 })
  expect(await status(['--admin-secret', ADMIN_SECRET], wrongSecret)).toMatchObject({ code: 0 })
  project.write('.env', `HASURA_GRAPHQL_ADMIN_SECRET=wrong`)
  expect(await status([], {})).toMatchObject({ code: 1 })
  expect(await status([], { HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET })).toMatchObject({ code: 0 })
})

test('the admin secret is also read from HASURA_GRAPHQL_ACCESS_KEY and access_key', async () => {
  const status = (variables: Record<string, string> = {}) =>
    runEngineCommand(['status', '--project', project.folder], variables)
  const config = `version: 3\nendpoint: ${engine.url}\n`
  project.write('config.yaml', config)
  expect(await status()).toMatchObject({ code: 1 })
  expect(await status({ HASURA_GRAPHQL_ACCESS_KEY: ADMIN_SECRET })).toMatchObject({ code: 0 })
  project.write('config.yaml', `${config}access_key: ${ADMIN_SECRET}\n`)
  expect(await status()).toMatchObject({ code: 0 })
})

test('the admin secret can be a number in config.yaml', async () => {
  const { url, stop } = await serveEngineHere(db.url, { HASURA_GRAPHQL_ADMIN_SECRET: '123456' })
  project.write('config.yaml', `version: 3\nendpoint: ${url}\nadmin_secret: 123456\n`)
  expect(await run('status')).toMatchObject({ code: 0 })
  await stop()
})

test('a command fails if the server is unreachable', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`
  expect(await run('status', '--endpoint', endpoint)).toMatchObject({
    code: 1,
    complaints: expect.stringMatching(
      new RegExp(
        `^Cannot reach ${endpoint}/\\S*: .*ECONNREFUSED.*Start the server, or choose another`,
      ),
    ),
  })
})

test('apply creates a missing source before it applies the migrations', async () => {
  const file = 'metadata/databases/databases.yaml'
  project.write(file, project.read(file).replace('name: default', 'name: shop'))
  project.remove('migrations/default')
  project.write(
    'migrations/shop/1_books/up.sql',
    'create table book (id int primary key, title text)',
  )
  const { code, output, complaints } = await run('apply')
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
  expect(output).toContain('migration 1_books applied')
  const answer = await engine.graphql('{ book { title } }', {}, { 'x-hasura-role': 'reader' })
  expect(answer.body).toEqual({ data: { book: [] } })
})
