import { afterEach, beforeEach, expect, test } from 'vitest'
import { database } from '../../../../test/support/database.ts'
import { runEngineCommand } from '../support/cli/run-command.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

let project: ProjectFolder
beforeEach(() => {
  project = createProjectFolder()
})
afterEach(() => project.remove())

function check(...words: string[]) {
  return runEngineCommand(['check', '--project', project.folder, ...words])
}

test('check accepts metadata that fits the migrated tables', async () => {
  expect(await check()).toEqual({
    code: 0,
    output: 'The metadata is consistent.',
    complaints: '',
  })
})

test('check names variables without effect and still succeeds', async () => {
  project.write('.env', 'HASURA_GRAPHQL_PG_STRIPES=2\nHASURA_GRAPHQL_ENABLED_API=graphql\n')
  const { code, complaints } = await check()
  expect(code).toBe(0)
  expect(complaints).toContain('HASURA_GRAPHQL_PG_STRIPES has no effect: Hasura reads it')
  expect(complaints).toContain('did you mean HASURA_GRAPHQL_ENABLED_APIS?')
})

test('check lists metadata that does not fit a database, and leaves the database unchanged', async () => {
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

test('check lists an unsupported source by name', async () => {
  project.write(
    'metadata/databases/databases.yaml',
    `${project.read('metadata/databases/databases.yaml')}- name: lake\n  kind: bigquery\n  configuration: {}\n  tables: []\n`,
  )
  const { code, complaints } = await check()
  expect(code).toBe(1)
  expect(complaints).toContain('source lake: ')
})

test('check warns of a key that Hasura does not know, and fails with --strict', async () => {
  const file = 'metadata/databases/databases.yaml'
  project.write(file, `${project.read(file)}  colour: red\n`)
  const complaints =
    'databases/databases.yaml: sources[default].colour is ignored: Hasura has no such key'
  const output = 'The metadata is consistent.'
  expect(await check()).toEqual({ code: 0, output, complaints })
  expect(await check('--strict')).toEqual({ code: 1, output, complaints })
})

test('check lists a template that cannot be parsed, with its position', async () => {
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

test('check rejects a metadata folder of config v2', async () => {
  project.remove('metadata/databases')
  project.write('metadata/tables.yaml', '[]')
  const { code, complaints } = await check()
  expect(code).toBe(1)
  expect(complaints).toMatch(/layout of config v2 .*update-project-v3/)
})

test('check does not touch the databases that variables or ENGINE_SOURCE_URLS name', async () => {
  const real = await database()
  await real.query(`create table book (title text); insert into book values ('Persuasion')`)
  project.write('.env', `ENGINE_SOURCE_URLS='{"default":"${real.url}"}'`)
  const variables = { SHOP_DATABASE_URL: real.url, ENGINE_SOURCE_URLS: `{"default":"${real.url}"}` }
  for (const environment of [{}, variables])
    expect(await runEngineCommand(['check', '--project', project.folder], environment)).toEqual({
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
