import { symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createProjectFolder,
  type ProjectFolder,
} from '../../../packages/engine/test/support/project-folder.ts'
import { replaceRows } from '../../../trials/projects/report/projects-page.ts'
import { runToEnd } from '../../support/docs/programs.ts'
import { START_CACHE } from '../../support/start-cache.ts'

let project: ProjectFolder

beforeEach(() => {
  project = createProjectFolder()
})
afterEach(() => project.remove())

/** Runs `npm run test:projects` on the project. */
function runProjects(...words: string[]) {
  const program = [process.execPath, ...START_CACHE, 'trials/projects/projects.ts']
  return runToEnd([...program, ...words, project.folder], { env: {} })
}

test('test:projects queries all root fields, documents and subscriptions of a project', async () => {
  project.write(
    'app/books.ts',
    [
      'const TITLE = gql`fragment title on book { title }`',
      'const BOOKS = graphql(`query books($title: String) { book(where: {title: {_eq: $title}}) { ...title } } $' +
        '{TITLE}`)',
      'const OTHER = gql`query other { author { name } }`',
    ].join('\n'),
  )
  project.write('app/new-books.graphql', 'subscription newBooks { book { title } }')
  const { code, output } = await runProjects()
  expect(output).toContain(
    '1 tables, 1 roles, 1 permissions | whole; root fields 4/4; documents 2/3; runs 2/2; subscriptions 2/2\n',
  )
  expect(code).toBe(0)
})

test('test:projects reports a field that fails for a role, with its query', async () => {
  project.write(
    'migrations/default/2_fault/up.sql',
    `create function book_shelf(book) returns text stable language plpgsql as
      $$ begin return (select shelf from shelves); end $$`,
  )
  project.write(
    'metadata/databases/default/tables/public_book.yaml',
    `
table: { name: book, schema: public }
computed_fields:
  - name: shelf
    definition: { function: { name: book_shelf, schema: public } }
`,
  )
  const { code, output } = await runProjects()
  expect(output).toContain('| in part; root fields 0/3 |')
  expect(output).toContain(
    'relation "shelves" does not exist (42P01) query ask($id: Int!) { book_by_pk(id: $id)',
  )
  expect(code).toBe(1)
})

test("a migration that PostgreSQL rejects counts as the project's fault", async () => {
  project.write('migrations/default/2_fault/up.sql', 'alter table shelves add column place text')
  const { code, output } = await runProjects()
  expect(output).toContain('cannot be built | migration 2: relation "shelves" does not exist')
  expect(code).toBe(0)
})

test("a table that no migration creates counts as the project's fault", async () => {
  project.write(
    'metadata/databases/default/tables/tables.yaml',
    '- "!include public_book.yaml"\n- table: { name: shelves, schema: public }\n',
  )
  const { code, output } = await runProjects()
  expect(output).toContain('cannot be built; root fields')
  expect(output).toContain('no such table/view exists in source: "shelves"')
  expect(code).toBe(0)
})

test("metadata that the engine rejects does not count as the project's fault", async () => {
  project.write('metadata/databases/default/tables/tables.yaml', '- table: 5')
  const { code, output } = await runProjects()
  expect(output).toContain('| not served |')
  expect(code).toBe(1)
})

test('nothing outside a project is written through config.yaml or a link', async () => {
  const outside = createProjectFolder()
  outside.write('metadata/other.yaml', 'url: http://example.com')
  const elsewhere = `../../${basename(outside.folder)}/metadata`
  project.write('config.yaml', `version: 3\nmetadata_directory: ${elsewhere}\n`)
  const led = await runProjects()
  expect(led.output).toContain('| not served | metadata_directory of config.yaml must be inside')
  project.write('config.yaml', 'version: 3\n')
  project.remove('metadata/databases/default/tables/public_book.yaml')
  symlinkSync(
    join(outside.folder, 'metadata/other.yaml'),
    join(project.folder, 'metadata/databases/default/tables/public_book.yaml'),
  )
  expect((await runProjects()).output).toContain('public_book.yaml is included but missing')
  expect(outside.read('metadata/other.yaml')).toBe('url: http://example.com')
  outside.remove()
})

test('the page gets the rows of the projects that ran and keeps the others', () => {
  const begin =
    '<!-- `npm run test:projects -- --write FOLDER…` writes the rows of the projects that it runs. -->'
  const page = `# Projects\n\n${begin}\n\n<!-- end -->\n\nThe end.\n`
  const at = new Date('2030-01-02T03:04:05Z')
  const failed = (name: string, failure: string) => ({
    name,
    size: '2 tables',
    failure,
  })
  const first = replaceRows(
    page,
    [failed('b/b', 'migration 1: a | b'), failed('a/a', 'cannot')],
    at,
  )
  expect(first).toContain(
    'Of 2 projects 1 can be built from their own folders, and 0 of these (0 %)',
  )
  expect(first).toContain('| b/b     | 2 tables | cannot be built | migration 1: a ¦ b |\n')
  const second = replaceRows(first, [failed('b/b', 'migration 2: is longer now')], at)
  expect(second).toContain(
    '| a/a     | 2 tables | not served      | cannot                     |\n',
  )
  expect(second).toContain(
    '| b/b     | 2 tables | cannot be built | migration 2: is longer now |\n',
  )
  expect(replaceRows(second, [], at)).toBe(second)
})
