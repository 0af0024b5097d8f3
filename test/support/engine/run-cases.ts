import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Server, serve, unmet } from './server.ts'

const Asker = {
  title: z.string(),
  role: z.string().optional(),
  session: z.record(z.string(), z.string()).default({}),
}

/** An operation in GraphQL, with exactly one of the last three members. */
const Operation = z.strictObject({
  ...Asker,
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).default({}),
  data: z.unknown().optional(),
  error: z
    .strictObject({ code: z.string(), path: z.string(), message: z.string().optional() })
    .optional(),
  /** The answer's text, where its order or spelling matters. */
  text: z.string().optional(),
})

/** A request to another API, and members that its answer must have. */
const Request = z.strictObject({
  ...Asker,
  post: z.string(),
  body: z.unknown(),
  status: z.number().default(200),
  answer: z.unknown(),
})

/** A file of cases: a schema, metadata for it, and operations that run in order on one engine. */
const CaseFile = z.strictObject({
  about: z.string(),
  schema: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  /** The parts of the source `default`. */
  source: z.record(z.string(), z.unknown()),
  /** Other top-level parts of the metadata. */
  metadata: z.record(z.string(), z.unknown()).default({}),
  cases: z.array(z.union([Operation, Request])),
})

/** Runs the files of cases in a folder: each on an engine of its own, its cases in order. */
export function runCases(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, ...CaseFile.parse(load(readFileSync(join(folder, name), 'utf8'))) }))
  describe.each(files)('$name: $about', runCaseFile)
}

function runCaseFile({ schema, environment, source, metadata, cases }: z.infer<typeof CaseFile>) {
  const missing = unmet(environment)
  if (missing.length > 0) return test.skip(`needs ${missing.join(' ')}`)
  let server: Server

  beforeAll(async () => {
    server = await serve(environment)
    await server.sql(schema)
    const replaced = await server.setMetadata(source, metadata)
    expect(replaced.body).toEqual({ is_consistent: true, inconsistent_objects: [] })
  })
  afterAll(() => server?.stop())

  test.each(cases)('$title', ({ role, session, ...rest }) => {
    const headers = { ...(role && { 'x-hasura-role': role }), ...session }
    return 'query' in rest ? operate(rest, headers) : request(rest, headers)
  })

  async function operate(asked: Asked<typeof Operation>, headers: Record<string, string>) {
    const { query, variables, data, error, text } = asked
    const answer = await server.graphql(query, variables, headers)
    if (text !== undefined) expect(compact(answer.text)).toBe(text)
    else if (error) expect(answer.body).toMatchObject(failure(error))
    else expect(answer.body).toEqual({ data })
  }

  async function request(asked: Asked<typeof Request>, headers: Record<string, string>) {
    const { post, body, status, answer } = asked
    const reply = await server.post(post, body, headers)
    expect({ status: reply.status, body: reply.body }).toMatchObject({ status, body: answer })
  }
}

type Asked<T extends z.ZodType> = Omit<z.infer<T>, keyof typeof Asker>

/** The text without the white space that Postgres writes between members. */
function compact(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll('" : ', '":')
    .replaceAll(', "', ',"')
}

type Failure = { code: string; path: string; message?: string | undefined }

function failure({ code, path, message }: Failure) {
  return { errors: [{ ...(message && { message }), extensions: { code, path } }] }
}
