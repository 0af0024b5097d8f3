import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { type Database, database } from '../database.ts'
import { type RunningEngine, startEngine } from './start-engine.ts'

/** A file of cases: a schema, metadata on it, and operations that run in order on one engine. */
const CaseFile = z.strictObject({
  about: z.string(),
  schema: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  /** The parts of the source `default`. */
  source: z.record(z.string(), z.unknown()),
  /** Other top-level parts of the metadata. */
  metadata: z.record(z.string(), z.unknown()).default({}),
  cases: z.array(
    z.strictObject({
      title: z.string(),
      role: z.string().optional(),
      session: z.record(z.string(), z.string()).default({}),
      query: z.string(),
      variables: z.record(z.string(), z.unknown()).default({}),
      /** Exactly one of these three. */
      data: z.unknown().optional(),
      error: z
        .strictObject({ code: z.string(), path: z.string(), message: z.string().optional() })
        .optional(),
      /** The answer's text, where its order or spelling matters. */
      text: z.string().optional(),
    }),
  ),
})

const FOLDER = join(import.meta.dirname, 'cases')

const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => ({ name, ...CaseFile.parse(parse(readFileSync(join(FOLDER, name), 'utf8'))) }))

describe.each(FILES)('$name: $about', ({ schema, environment, source, metadata, cases }) => {
  let db: Database
  let engine: RunningEngine

  beforeAll(async () => {
    db = await database()
    await db.query(schema)
    engine = await startEngine(db.url, environment)
    const replaced = await engine.post('/v1/metadata', {
      type: 'replace_metadata',
      version: 2,
      args: { metadata: { version: 3, sources: [{ ...SOURCE, ...source }], ...metadata } },
    })
    expect(replaced.body).toEqual({ is_consistent: true, inconsistent_objects: [] })
  })
  afterAll(async () => {
    await engine?.stop()
    await db?.drop()
  })

  test.each(cases)('$title', async ({ role, session, query, variables, data, error, text }) => {
    const headers = { ...(role && { 'x-hasura-role': role }), ...session }
    const answer = await engine.graphql(query, variables, headers)
    if (text !== undefined) expect(compact(answer.text)).toBe(text)
    else if (error) expect(answer.body).toMatchObject(failure(error))
    else expect(answer.body).toEqual({ data })
  })
})

/** Without the white space that Postgres puts between members. */
function compact(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll('" : ', '":')
    .replaceAll(', "', ',"')
}

const SOURCE = {
  name: 'default',
  kind: 'postgres',
  configuration: {
    connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } },
  },
}

type Failure = { code: string; path: string; message?: string | undefined }

function failure({ code, path, message }: Failure) {
  return { errors: [{ ...(message && { message }), extensions: { code, path } }] }
}
