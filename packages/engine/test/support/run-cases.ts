import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { type CaseFile, type Operation, type Request, readCaseFiles } from './case-file.ts'
import { type MakeDatabase, type Server, serve, unmet } from './server.ts'

/**
 * Runs the case files of a folder, each on a separate engine with its cases in order.
 *
 * @param makeDatabase makes an engine's database on a PostgreSQL other than the run's
 */
export function runCases(folder: string, makeDatabase?: MakeDatabase): void {
  describe.each(readCaseFiles(folder))('$name: $about', (file) => runCaseFile(file, makeDatabase))
}

function runCaseFile(
  { schema, path, environment, source, metadata, cases }: CaseFile,
  makeDatabase?: MakeDatabase,
) {
  const missing = unmet(environment)
  if (missing.length > 0) return test.skip(`needs ${missing.join(' ')}`)
  let server: Server

  beforeAll(async () => {
    server = await serve(environment, makeDatabase)
    await server.sql(schema)
    const replaced = await server.setMetadata(source, metadata)
    expect(replaced.body).toEqual({ is_consistent: true, inconsistent_objects: [] })
  })
  afterAll(() => server?.stop())

  test.for(cases)('$title', (asked, context) =>
    'query' in asked
      ? operate(server, { path, ...asked }, context)
      : request(server, asked, context),
  )
}

type Sent = Operation & { path: string }

async function operate(server: Server, asked: Sent, context: TestContext) {
  const { data, error, text } = answerOfHasura(server, asked.different_on_purpose, context) ?? asked
  const { path, query, variables } = asked
  const answer = await server.post(path, { query, variables }, headersOf(asked))
  if (text !== undefined) expect(compact(answer.text)).toBe(compact(text))
  else if (error) expect(answer.body).toMatchObject(failure(error))
  else expect(answer.body).toEqual({ data })
}

async function request(server: Server, asked: Request, context: TestContext) {
  const { status, answer } = answerOfHasura(server, asked.different_on_purpose, context) ?? asked
  const reply = await server.post(asked.post, asked.body, headersOf(asked))
  expect({ status: reply.status, body: reply.body }).toMatchObject({ status, body: answer })
}

/** Returns Hasura's expected response if the case is different on purpose; null on the embedded engine or without a difference. */
function answerOfHasura<T>(
  { isHasura }: Server,
  different: { reason: string; hasura?: T | undefined } | undefined,
  context: TestContext,
): T | null {
  if (!isHasura || !different) return null
  return different.hasura ?? context.skip(`different on purpose: ${different.reason}`)
}

function headersOf({ role, session }: Operation | Request): Record<string, string> {
  return { ...(role && { 'x-hasura-role': role }), ...session }
}

/** Removes white space between the parts of JSON, which PostgreSQL and Hasura write differently. */
function compact(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, string?: string) => string ?? '')
}

type Failure = { code: string; path: string; message?: string | undefined }

function failure({ code, path, message }: Failure) {
  return { errors: [{ ...(message && { message }), extensions: { code, path } }] }
}
