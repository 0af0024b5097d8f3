import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPostgres } from '../../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'
import { type Database, database } from '../../../../test/support/database.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, type ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  engine = await serveEngineHere(db.url)
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

type Run = { code: number | null; output: string }

/** Runs a program with only these environment variables. */
function run(
  environment: Record<string, string>,
  [program, ...args]: [string, ...string[]],
): Promise<Run> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment }
  return new Promise((resolve) => {
    const child = execFile(program, args, { env }, (_error, out, err) =>
      resolve({ code: child.exitCode, output: out + err }),
    )
  })
}

function testHasura(environment: Record<string, string>, ...args: string[]): Promise<Run> {
  return run(environment, ['npm', 'run', '-s', 'test:hasura', '--', ...args])
}

test("test:hasura runs the engine's cases, and the platform's tests if Hasura returns numbers as strings", async () => {
  const list = ['node_modules/.bin/vitest', 'list', '--filesOnly', '--mode', 'hasura'] as const
  const folders = async (environment: Record<string, string>) => {
    const { output } = await run(environment, [...list])
    const files = output.split('\n').filter((line) => line.endsWith('.test.ts'))
    return new Set(files.map((file) => dirname(file)))
  }
  expect(await folders({})).toEqual(new Set(['packages/engine/test/cases']))
  expect(await folders({ HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true' })).toEqual(
    new Set([
      'packages/engine/test/cases',
      'test/hasura',
      'test/webhooks/accounts',
      'test/webhooks/hasura-actions',
      'test/webhooks/invites',
      'test/webhooks/mailed-links',
      'test/webhooks/outbox',
      'test/webhooks/payments',
      'test/webhooks/proxy',
    ]),
  )
})

test('test:hasura without an endpoint says what is missing', async () => {
  const { code, output } = await testHasura({})
  expect(code).toBe(1)
  expect(output).toContain('HASURA_GRAPHQL_ENDPOINT is not set')
})

test('test:hasura rejects a database that has tables', async () => {
  await db.query('create table precious (id int)')
  const { code, output } = await testHasura({
    HASURA_GRAPHQL_ENDPOINT: engine.url,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
  })
  expect(code).toBe(1)
  expect(output).toContain('has 1 tables')
  await db.query('drop table precious')
})

test('test:hasura runs the cases on an empty database and leaves it empty', async () => {
  const environment = {
    HASURA_GRAPHQL_ENDPOINT: engine.url,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
  }
  const { code, output } = await testHasura(
    environment,
    'packages/engine/test/cases',
    '-t',
    '^upserts',
  )
  expect({ code, output }).toMatchObject({
    code: 0,
    output: expect.stringMatching(/[1-9]\d* passed, 0 failed/),
  })
  await db.query('create table precious (id int)')
  expect(await testHasura(environment)).toMatchObject({ code: 1 })
  await db.query('drop table precious')
  const { rows } = await db.query("select from pg_tables where schemaname = 'public'")
  expect(rows).toEqual([])
})

test("test:hasura runs the platform's tests on separate databases if the settings match", async () => {
  const folder = temporaryFolder('test-hasura-')
  const [port, hookPort] = [await freePort(), await freePort()]
  const postgres = await startPostgres({ folder: join(folder, 'data'), port })
  const settings = {
    HASURA_GRAPHQL_ADMIN_SECRET: 'a secret of at least thirty-two characters',
    HASURA_GRAPHQL_AUTH_HOOK: `http://127.0.0.1:${hookPort}/hasura/auth`,
    HASURA_GRAPHQL_AUTH_HOOK_MODE: 'POST',
    HASURA_GRAPHQL_PRESERVE_401_ERRORS: 'true',
    HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true',
  }
  const hasura = await serveEngineHere(postgres.url, settings)
  const environment = {
    ...settings,
    HASURA_GRAPHQL_ENDPOINT: hasura.url,
    DATABASE_URL: postgres.url,
  }
  const { code, output } = await testHasura(environment, 'mail-at-once')
  expect({ code, output }).toMatchObject({
    code: 0,
    output: expect.stringContaining('1 passed, 0 failed'),
  })
  const client = new Client(postgres.url)
  await client.connect()
  const leftovers = await client.query(`
    select datname from pg_database where datname like 'test_%'
    union select rolname from pg_roles where rolname in ('hasura', 'sign_in')`)
  expect(leftovers.rows).toEqual([])
  await client.end()
  await hasura.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true })
})
