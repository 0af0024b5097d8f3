import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { database } from '../../../../test/support/database.ts'
import { endEachDev, startDev } from '../support/cli/dev-command.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

let project: ProjectFolder

beforeEach(() => {
  project = createProjectFolder()
})
afterEach(async () => {
  await endEachDev()
  project.remove()
})

const DATABASES = 'metadata/databases/databases.yaml'

const dev = (words: readonly string[], variables?: Record<string, string>) =>
  startDev(project, words, variables)

test('dev creates a database with tables and seeds for each source', async () => {
  const depots = resolve('packages/engine/test/projects/depots')
  const { output, ask } = await dev(['--project', depots, '--data', join(project.folder, 'data')])
  expect(output()).toMatch(/seed 1700000000001_depots.sql applied\nseed 1700000000001_reports.sql/)
  expect(await ask('driver', '{depot(limit: 1) {town} weather {report(limit: 1) {town}}}')).toEqual(
    {
      data: { depot: [{ town: 'Hook Norton' }], weather: { report: [{ town: 'Ware' }] } },
    },
  )
})

// The compose file of Hasura's quick start also uses the metadata database's variable for the source.
test.each(['SHOP_DATABASE_URL', 'HASURA_GRAPHQL_METADATA_DATABASE_URL'])(
  'dev ignores the database URL %s in .env and starts a database',
  async (variable) => {
    project.write('.env', `${variable}=postgres://postgres@postgres:5432/elsewhere`)
    project.write(DATABASES, project.read(DATABASES).replace('SHOP_DATABASE_URL', variable))
    const running = await dev([])
    expect(await running.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  },
)

test('dev starts a database instead of using a URL written in the metadata', async () => {
  const address = 'database_url: postgres://me@db.example.com/shop'
  const databases = project.read(DATABASES)
  project.write(DATABASES, databases.replace(/database_url:\s+from_env: \w+/, address))
  const running = await dev([])
  expect(await running.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  expect(running.output()).not.toContain('me@')
})

test('ENGINE_SOURCE_URLS can replace one of several URLs written in the metadata', async () => {
  const real = await database()
  await real.query(`create table mail (subject text); insert into mail values ('From afar')`)
  const sourceYaml = (name: string, tables: string) => `
- name: ${name}
  kind: postgres
  configuration: { connection_info: { database_url: 'postgres://me@db.example.com/${name}' } }
  tables: ${tables}`
  project.write(
    DATABASES,
    sourceYaml('default', '"!include default/tables/tables.yaml"') + sourceYaml('post', MAIL),
  )
  const running = await dev([], { ENGINE_SOURCE_URLS: JSON.stringify({ post: real.url }) })
  expect(await running.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  expect(await running.ask('reader', '{ mail { subject } }')).toEqual({
    data: { mail: [{ subject: 'From afar' }] },
  })
  await endEachDev()
  await real.drop()
})

/** A table with a role that can read all rows. */
const MAIL = JSON.stringify([
  {
    table: { schema: 'public', name: 'mail' },
    select_permissions: [{ role: 'reader', permission: { columns: '*', filter: {} } }],
  },
])

test('dev applies no seeds to a database on another server, and rejects --fresh for it', async () => {
  const real = await database()
  const startElsewhere = (...words: string[]) =>
    dev(['--env', 'SHOP_DATABASE_URL', ...words], { SHOP_DATABASE_URL: real.url })
  const running = await startElsewhere()
  expect(running.output()).toContain('seed books.sql skipped: the database of source "default" is')
  expect(await running.books()).toEqual({ data: { book: [] } })
  await real.query(`insert into book (title) values ('Persuasion')`)
  await endEachDev()
  project.write('migrations/default/1_books/up.sql', 'drop table book')
  const fresh = await startElsewhere('--fresh')
  expect(fresh.output()).toContain('Unset SHOP_DATABASE_URL to use a database that dev creates')
  expect(fresh.child.exitCode).toBe(1)
  const again = await startElsewhere()
  expect(await again.books()).toEqual({ data: { book: [{ title: 'Persuasion' }] } })
  await endEachDev()
  await real.drop()
})

test('dev ignores ENGINE_SOURCE_URLS in .env', async () => {
  const real = await database()
  project.write('.env', `ENGINE_SOURCE_URLS='{"default":"${real.url}"}'`)
  const running = await dev([])
  expect(await running.books()).toEqual({ data: { book: [{ title: 'Emma' }] } })
  const { rows } = await real.query(`select to_regclass('book') as book`)
  expect(rows).toEqual([{ book: null }])
  await endEachDev()
  await real.drop()
})
