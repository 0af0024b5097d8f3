import { afterEach, beforeEach, expect, test } from 'vitest'
import { database } from '../../../../test/support/database.ts'
import { runEngineCommand } from '../support/cli/run-command.ts'
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts'

let project: ProjectFolder
beforeEach(() => {
  project = projectFolder()
})
afterEach(() => project.remove())

function check(...words: string[]) {
  return runEngineCommand(['check', '--project', project.folder, ...words])
}

test('metadata that fits the tables of the migrations is consistent', async () => {
  expect(await check()).toEqual({
    code: 0,
    output: 'The metadata is consistent.',
    complaints: '',
  })
})

test('variables without effect are named, and the metadata is consistent all the same', async () => {
  project.write('.env', 'HASURA_GRAPHQL_PG_STRIPES=2\nHASURA_GRAPHQL_ENABLED_API=graphql\n')
  const { code, complaints } = await check()
  expect(code).toBe(0)
  expect(complaints).toContain('HASURA_GRAPHQL_PG_STRIPES has no effect: Hasura reads it')
  expect(complaints).toContain('did you mean HASURA_GRAPHQL_ENABLED_APIS?')
})

test('metadata that does not fit a database is listed, and the database stays as it was', async () => {
  const db = await database()
  const { code, complaints } = await check('--database-url', db.url)
  expect(code).toBe(1)
  expect(complaints).toContain('table book in source default: ')
  const { rows } = await db.query(
    "select nspname from pg_namespace where nspname !~ '^pg_|^information_schema$'",
  )
  expect(rows).toEqual([{ nspname: 'public' }])
  await db.drop()
})

test('what the engine does not support is listed by name', async () => {
  project.write(
    'metadata/databases/databases.yaml',
    `${project.read('metadata/databases/databases.yaml')}- name: lake\n  kind: bigquery\n  configuration: {}\n  tables: []\n`,
  )
  const { code, complaints } = await check()
  expect(code).toBe(1)
  expect(complaints).toContain('source lake: ')
})

test('a key that Hasura does not read is named, and fails --strict', async () => {
  const file = 'metadata/databases/databases.yaml'
  project.write(file, `${project.read(file)}  colour: red\n`)
  const complaints =
    'databases/databases.yaml: sources[default].colour is ignored: Hasura has no such key'
  const output = 'The metadata is consistent.'
  expect(await check()).toEqual({ code: 0, output, complaints })
  expect(await check('--strict')).toEqual({ code: 1, output, complaints })
})

test('a template that cannot be parsed is listed with its place', async () => {
  project.write(
    'metadata/actions.yaml',
    `
actions:
  - name: greet
    definition:
      handler: http://handler.test
      output_type: String
      request_transform:
        version: 2
        query_params: { id: "{{ size($body.input.id) > 1 }}" }
`,
  )
  const { code, complaints } = await check()
  expect(code).toBe(1)
  expect(complaints).toContain(
    `action greet: Inconsistent object: in action "greet"; request_transform cannot be read: query parameter id: Unexpected token '>'. at line 1, column 26`,
  )
})

test('a metadata folder of config v2 is refused, and not taken for an empty one', async () => {
  project.remove('metadata/databases')
  project.write('metadata/tables.yaml', '[]')
  const { code, complaints } = await check()
  expect(code).toBe(1)
  expect(complaints).toMatch(/layout of config v2 .*update-project-v3/)
})

test('a database that a variable or ENGINE_SOURCE_URLS leads to is not touched', async () => {
  const real = await database()
  await real.query(`create table book (title text); insert into book values ('Persuasion')`)
  project.write('.env', `ENGINE_SOURCE_URLS='{"default":"${real.url}"}'`)
  const variables = { SHOP_DATABASE_URL: real.url, ENGINE_SOURCE_URLS: `{"default":"${real.url}"}` }
  for (const given of [{}, variables])
    expect(await runEngineCommand(['check', '--project', project.folder], given)).toEqual({
      code: 0,
      output: 'The metadata is consistent.',
      complaints: '',
    })
  const { rows } = await real.query(
    `select table_name from information_schema.tables
     where table_schema !~ '^pg_|^information_schema$'`,
  )
  expect(rows).toEqual([{ table_name: 'book' }])
  await real.drop()
})
