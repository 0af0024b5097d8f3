import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { startEngine } from '../support/start-engine.ts'

let db: Database
let other: Database

beforeEach(async () => {
  db = await database()
  other = await database()
})
afterEach(async () => {
  await db.drop()
  await other.drop()
})

async function schemaOfPgcrypto({ query }: Database): Promise<unknown> {
  const { rows } = await query(
    `select extnamespace::regnamespace::text as schema from pg_extension where extname = 'pgcrypto'`,
  )
  return rows[0]?.schema
}

test('an empty database gets the extension pgcrypto', async () => {
  const engine = await serveEngineHere(db.url)
  await engine.post(
    '/v2/query',
    runSql('create table book (id uuid default public.gen_random_uuid())'),
  )
  await engine.stop()
  expect(await schemaOfPgcrypto(db)).toBe('public')
})

test('pgcrypto is created in the schema that the variable or the source names', async () => {
  await db.query('create schema ext')
  await other.query('create schema own')
  const engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_METADATA_DATABASE_EXTENSIONS_SCHEMA: 'ext',
  })
  const configuration = { connection_info: { database_url: other.url }, extensions_schema: 'own' }
  const addSource = { type: 'pg_add_source', args: { name: 'other', configuration } }
  expect(await engine.post('/v1/metadata', addSource)).toMatchObject({ status: 200 })
  await engine.stop()
  expect(await schemaOfPgcrypto(db)).toBe('ext')
  expect(await schemaOfPgcrypto(other)).toBe('own')
})

test('a database that Hasura has used gets no extension', async () => {
  await db.query('create schema hdb_catalog')
  await (await serveEngineHere(db.url)).stop()
  expect(await schemaOfPgcrypto(db)).toBeUndefined()
})

test('a failure to create pgcrypto is only a warning', async () => {
  const engine = await startEngine(db.url, { HASURA_GRAPHQL_EXTENSIONS_SCHEMA: 'none' })
  await engine.stop()
  expect(engine.output()).toContain(
    'the extension pgcrypto cannot be created: schema \\"none\\" does not exist',
  )
})

test('a view of an extension can be tracked, and a function of an extension is found', async () => {
  await db.query('create extension pg_buffercache; create extension pg_trgm')
  const engine = await serveEngineHere(db.url)
  const sources = metadata([table('pg_buffercache')])
  expect(await engine.post('/v1/metadata', replace(sources))).toMatchObject({ status: 200 })
  const { body } = await engine.post('/v1/graphql', {
    query: '{ pg_buffercache(limit: 1) { bufferid } }',
  })
  expect(body).toEqual({ data: { pg_buffercache: [{ bufferid: 1 }] } })
  const trackFunction = { type: 'pg_track_function', args: { function: 'show_trgm' } }
  // The error about the return type shows that the function was found.
  expect((await engine.post('/v1/metadata', trackFunction)).body).toMatchObject({
    error: expect.stringContaining('the function does not return a table'),
  })
  await engine.stop()
})
