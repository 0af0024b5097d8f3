import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { type CaseFile, type Operation, type Request, readCaseFiles } from './case-file.ts'
import { type MakeDatabase, missingSettings, type Server, serve } from './server.ts'

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
  const absentSettings = missingSettings(environment)
  if (absentSettings.length > 0) return test.skip(`needs ${absentSettings.join(' ')}`)
  let server: Server

  beforeAll(async () => {
    server = await serve(environment, makeDatabase)
    await server.sql(schema)
    const response = await server.setMetadata(source, metadata)
    expect(response.body).toEqual({ is_consistent: true, inconsistent_objects: [] })
  })
  afterAll(() => server?.stop())

  test.for(cases)('$title', (testCase, context) =>
    'query' in testCase
      ? runOperation(server, { path, ...testCase }, context)
      : runRequest(server, testCase, context),
  )
}

type SentOperation = Operation & { path: string }

async function runOperation(server: Server, testCase: SentOperation, context: TestContext) {
  const { data, error, text } =
    answerOfHasura(server, testCase.different_on_purpose, context) ?? testCase
  const { path, query, variables } = testCase
  const answer = await server.post(path, { query, variables }, headersOf(testCase))
  if (text !== undefined) expect(compact(answer.text)).toBe(compact(text))
  else if (error) expect(answer.body).toMatchObject(failure(error))
  else expect(answer.body).toEqual({ data })
}

async function runRequest(server: Server, testCase: Request, context: TestContext) {
  const { status, answer } =
    answerOfHasura(server, testCase.different_on_purpose, context) ?? testCase
  const reply = await server.post(testCase.post, testCase.body, headersOf(testCase))
  expect({ status: reply.status, body: reply.body }).toMatchObject({ status, body: answer })
}

/**
 * Returns Hasura's expected response if the case is different on purpose; null on the embedded engine or without a difference.
 * Skips the case if the case does not state Hasura's response.
 */
function answerOfHasura<T>(
  { isHasura }: Server,
  difference: { reason: string; hasura?: T | undefined } | undefined,
  context: TestContext,
): T | null {
  if (!isHasura || !difference) return null
  return difference.hasura ?? context.skip(`different on purpose: ${difference.reason}`)
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
