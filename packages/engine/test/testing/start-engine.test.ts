import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { freePort } from '../../../../local/process/free-port.ts'
import { startDatabase, startEngine, type TestEngine } from '../../index.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

let project: ProjectFolder
const engines: TestEngine[] = []

beforeAll(() => {
  project = createProjectFolder()
})
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})
afterAll(() => project.remove())

/** Starts an engine for the project on the PostgreSQL of this run. */
async function start(options: Parameters<typeof startEngine>[0] = {}) {
  const engine = await startEngine({
    project: project.folder,
    databaseUrl: inject('postgresUrl'),
    ...options,
  })
  engines.push(engine)
  return engine
}

const TITLES = '{ book { title } }'

test("startEngine serves the project's tables, seeds and metadata, and `query` takes a role", async () => {
  const engine = await start()
  const answer = await engine.query<{ book: { title: string }[] }>('reader', TITLES)
  expect(answer).toEqual({ data: { book: [{ title: 'Emma' }] } })
  const rejection = await engine.query({ 'x-hasura-role': 'reader' }, '{ book { id } }')
  expect(rejection.errors).toMatchObject([{ extensions: { code: 'validation-failed' } }])
  const variables = { title: { _eq: 'Emma' } }
  const filteredQuery =
    'query ($title: String_comparison_exp!) { book(where: { title: $title }) { title } }'
  expect(await engine.query('admin', filteredQuery, variables)).toEqual(answer)
  expect(await engine.sql('select title from book where id = $1', [1])).toEqual([{ title: 'Emma' }])
})

test('startEngine uses a copy instead of a database URL written in the metadata', async () => {
  const file = 'metadata/databases/databases.yaml'
  const databases = project.read(file)
  const address = 'database_url: postgres://me@db.example.com/shop'
  project.write(file, databases.replace(/database_url:\s+from_env: \w+/, address))
  try {
    const engine = await start()
    expect(project.read(file)).toContain(address)
    expect(await engine.query('reader', TITLES)).toEqual({ data: { book: [{ title: 'Emma' }] } })
  } finally {
    project.write(file, databases)
  }
})

test('startEngine ignores ENGINE_SOURCE_URLS in .env', async () => {
  project.write('.env', `ENGINE_SOURCE_URLS='{"default":"postgres://me@db.example.com/shop"}'`)
  try {
    const engine = await start()
    expect(await engine.query('reader', TITLES)).toEqual({ data: { book: [{ title: 'Emma' }] } })
  } finally {
    project.remove('.env')
  }
})

test('startEngine leaves no database if the creation of one of several databases fails', async () => {
  const several = createProjectFolder()
  const file = 'metadata/databases/databases.yaml'
  const second = `- name: lends\n  kind: postgres\n  configuration:\n    connection_info:\n      database_url:\n        from_env: LENDS_URL\n  tables: []\n`
  several.write(file, `${several.read(file)}${second}`)
  several.write('migrations/lends/1_wrong/up.sql', 'create nonsense')
  const { url, close } = await startDatabase()
  const starting = start({ project: several.folder, databaseUrl: url })
  await expect(starting).rejects.toThrow('migration 1: syntax error')
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(`select datname from pg_database where datname ~ '^test_'`)
  expect(rows).toEqual([])
  await client.end()
  await close()
  several.remove()
})

test('twenty engines run at once with separate data', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => start()))
  await Promise.all(
    all.map((engine, n) =>
      engine.query(
        'admin',
        'mutation ($t: String!) { insert_book_one(object: { title: $t }) { id } }',
        {
          t: `Book ${n}`,
        },
      ),
    ),
  )
  for (const [n, engine] of all.entries())
    expect(await engine.query('reader', TITLES)).toEqual({
      data: { book: [{ title: 'Emma' }, { title: `Book ${n}` }] },
    })
})

test("close drops the engine's database, and a second close does nothing", async () => {
  const engine = await start()
  const other = await start()
  const name = new URL(engine.databaseUrl).pathname.slice(1)
  await engine.close()
  await engine.close()
  const databases = await other.sql('select from pg_database where datname = $1', [name])
  expect(databases).toEqual([])
})

test('only the second engine has a migration that was added between two starts', async () => {
  const before = await start({ seeds: false })
  project.write(
    'migrations/default/2_first/up.sql',
    `insert into book (title) values ('Lady Susan')`,
  )
  const after = await start({ seeds: false })
  project.remove('migrations/default/2_first')
  expect(await before.query('reader', TITLES)).toEqual({ data: { book: [] } })
  expect(await after.query('reader', TITLES)).toEqual({ data: { book: [{ title: 'Lady Susan' }] } })
})

test('startEngine rejects inconsistent metadata and names the object', async () => {
  const broken = createProjectFolder()
  broken.write(
    'metadata/cron_triggers.yaml',
    '[{ name: a, webhook: "{{NOWHERE}}", schedule: "* * * * *" }]',
  )
  await expect(start({ project: broken.folder })).rejects.toThrow(
    /The metadata is inconsistent:\n {2}cron_trigger a: .*NOWHERE/,
  )
  const fixed = await start({
    project: broken.folder,
    environment: { NOWHERE: 'http://localhost:1' },
  })
  expect(await fixed.query('reader', TITLES)).toMatchObject({ data: {} })
  broken.remove()
})

test('startEngine rejects a failed migration with its version, and the next start tries again', async () => {
  const broken = createProjectFolder()
  broken.write('migrations/default/2_wrong/up.sql', 'create table')
  await expect(start({ project: broken.folder })).rejects.toThrow(/migration 2: syntax error/)
  broken.write('migrations/default/2_wrong/up.sql', 'create table author (id int)')
  const fixedEngine = await start({ project: broken.folder })
  expect(await fixedEngine.sql('select * from author')).toEqual([])
  broken.remove()
})

test('startEngine ignores the metadata database that .env names', async () => {
  const composed = createProjectFolder()
  composed.write(
    '.env',
    'HASURA_GRAPHQL_METADATA_DATABASE_URL=postgres://postgres@postgres:5432/hasura',
  )
  const engine = await start({ project: composed.folder })
  expect(await engine.query('reader', TITLES)).toEqual({ data: { book: [{ title: 'Emma' }] } })
  composed.remove()
})

test.each([
  ['enviroment', 'Did you mean environment? '],
  ['metadata', ''],
])('startEngine rejects the unknown option %s', async (name, question) => {
  await expect(start({ [name]: {} })).rejects.toThrow(
    `startEngine has no option ${name}. ${question}Its options are project, databaseUrl, environment, seeds.`,
  )
})

test('startEngine warns once of a misspelt variable', async () => {
  const warnings: string[] = []
  const recordWarning = ({ name, message }: Error) => warnings.push(`${name}: ${message}`)
  process.on('warning', recordWarning)
  try {
    const environment = { HASURA_GRAPHQL_UNAUTHORISED_ROLE: 'reader' }
    await start({ environment })
    await start({ environment })
  } finally {
    process.off('warning', recordWarning)
  }
  expect(warnings).toEqual([
    'startEngine: HASURA_GRAPHQL_UNAUTHORISED_ROLE has no effect: did you mean HASURA_GRAPHQL_UNAUTHORIZED_ROLE?',
  ])
})

test('startEngine names the option of a database that it cannot reach', async () => {
  const databaseUrl = `postgres://me@127.0.0.1:${await freePort()}/shop`
  await expect(start({ databaseUrl })).rejects.toThrow(
    /^Cannot reach the database: connect ECONNREFUSED .* Set the option databaseUrl to the address of a PostgreSQL that runs\./,
  )
})
