import { execFile } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../support/database.ts'
import { serveEngineHere } from '../../support/engine/serve-here.ts'
import { ADMIN_SECRET, type ServedEngine } from '../../support/engine/start-engine.ts'

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

/** Runs the engine's file of `npm run test:hasura`, with only these variables in its environment. */
function testHasura(environment: Record<string, string>): Promise<Run> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment }
  return new Promise((resolve) => {
    const child = execFile(
      'npm',
      ['run', '-s', 'test:hasura', '--', 'test/engine'],
      { env },
      (_error, out, err) => resolve({ code: child.exitCode, output: out + err }),
    )
  })
}

test('without a Hasura it says what is missing', async () => {
  const { code, output } = await testHasura({})
  expect(code).toBe(1)
  expect(output).toContain('HASURA_GRAPHQL_ENDPOINT is not set')
})

test('a database with tables of somebody is left alone', async () => {
  await db.query('create table precious (id int)')
  const { code, output } = await testHasura({
    HASURA_GRAPHQL_ENDPOINT: engine.url,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
  })
  expect(code).toBe(1)
  expect(output).toContain('has 1 tables')
  await db.query('drop table precious')
})

test('a Hasura on an empty database runs the cases, and is as empty again', async () => {
  const { code, output } = await testHasura({
    HASURA_GRAPHQL_ENDPOINT: engine.url,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
  })
  expect({ code, output }).toMatchObject({
    code: 0,
    output: expect.stringMatching(/\d{3} passed, 0 failed/),
  })
  const { rows } = await db.query("select from pg_tables where schemaname = 'public'")
  expect(rows).toEqual([])
}, 300_000)
