import { z } from 'zod'
import { isList, isRecord } from '../../../packages/engine/json/record.ts'
import type { ServerResponse } from '../servers/graphql-server.ts'
import { compactJson, maskVolatile } from './answer-text.ts'

/** The difference between two responses. */
export type Difference = {
  kind: 'status' | 'data' | 'order' | 'digits' | 'code' | 'path' | 'message' | 'errors' | 'rows'
  /** A short text with the expected value first. */
  summary: string
}

/** If `isOrdered`, the rows must also have the same order. */
export type Strictness = { isOrdered: boolean }

/**
 * Compares a response with the expected response: the status, the data with the order of keys and the digits of numbers, and the code,
 * path and message of errors. Ignores white space, the `internal` part of errors, and values that differ in every run. Ignores the order
 * of rows unless `isOrdered` is true.
 */
export function answerDifference(
  expected: ServerResponse,
  engine: ServerResponse,
  { isOrdered }: Strictness,
): Difference | null {
  const [a, b] = [comparable(expected), comparable(engine)]
  if (expected.status !== engine.status)
    return { kind: 'status', summary: `status ${expected.status} → ${engine.status}` }
  if (a === b) return null
  const [expectedErrors, errors] = [errorsOf(expected.body), errorsOf(engine.body)]
  if (expectedErrors && errors) return errorDifference(expectedErrors, errors)
  if (expectedErrors) return { kind: 'errors', summary: `error ${expectedErrors[0]?.code} → data` }
  if (errors) return { kind: 'errors', summary: `data → error ${errors[0]?.code}` }
  if (sameRows(expected.body, engine.body))
    return isOrdered ? { kind: 'order', summary: 'other order of rows' } : null
  if (withEqualNumbers(a) === withEqualNumbers(b))
    return { kind: 'digits', summary: 'numbers with other digits' }
  return { kind: 'data', summary: firstDifference(expected.body, engine.body, '$') }
}

/** Compares the texts of the rows of all tables. */
export function rowsDifference(expected: string, engine: string): Difference | null {
  const [a, b] = [maskVolatile(expected), maskVolatile(engine)]
  if (a === b) return null
  const engineLines = new Set(b.split('\n'))
  const missing = a.split('\n').find((line) => !engineLines.has(line)) ?? ''
  const kind = withEqualNumbers(a) === withEqualNumbers(b) ? 'digits' : 'rows'
  return { kind, summary: `other rows: ${missing.slice(0, 200)}` }
}

function comparable({ text }: ServerResponse): string {
  return maskVolatile(compactJson(text))
}

const ErrorBody = z.object({
  errors: z.array(
    z.looseObject({
      message: z.string(),
      extensions: z.looseObject({ code: z.string().optional(), path: z.string().optional() }),
    }),
  ),
})
const MetadataError = z.looseObject({ error: z.string(), code: z.string(), path: z.string() })

type ServerError = { code: string | undefined; path: string | undefined; message: string }

/** Returns the errors of a response of GraphQL or of another API; null if it has none. */
function errorsOf(body: unknown): ServerError[] | null {
  const graphql = ErrorBody.safeParse(body).data
  if (graphql)
    return graphql.errors.map(({ message, extensions: { code, path } }) => ({
      code,
      path,
      message,
    }))
  const metadataError = MetadataError.safeParse(body).data
  if (!metadataError) return null
  const { code, path, error: message } = metadataError
  return [{ code, path, message }]
}

function errorDifference(
  expected: readonly ServerError[],
  errors: readonly ServerError[],
): Difference | null {
  for (const [i, error] of expected.entries()) {
    for (const kind of ['code', 'path', 'message'] as const) {
      const [a, b] = [maskVolatile(error[kind] ?? ''), maskVolatile(errors[i]?.[kind] ?? '')]
      if (a !== b) return { kind, summary: `${kind} ${a} → ${b}` }
    }
  }
  if (expected.length === errors.length) return null
  return { kind: 'errors', summary: `${expected.length} errors → ${errors.length}` }
}

/** Reports whether two values are equal if the order of lists is ignored. */
function sameRows(a: unknown, b: unknown): boolean {
  return maskVolatile(sortedText(a)) === maskVolatile(sortedText(b))
}

/** Writes a value as JSON with sorted lists. The keys keep their order. */
function sortedText(value: unknown): string {
  if (isList(value)) return `[${value.map(sortedText).sort().join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${sortedText(member)}`,
  )
  return `{${members.join(',')}}`
}

/** Writes each number of a JSON text as JavaScript does, so that `1.50` and `1.5` become equal. */
function withEqualNumbers(text: string): string {
  return text.replaceAll(
    /("(?:[^"\\]|\\.)*")|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g,
    (number, string?: string) => string ?? String(Number(number)),
  )
}

/** Describes the first difference between two values, with a path without row numbers. */
function firstDifference(a: unknown, b: unknown, path: string): string {
  const [before, after] = [kindOf(a), kindOf(b)]
  if (before !== after) return `${path}: ${before} → ${after}`
  if (isList(a) && isList(b)) {
    if (a.length !== b.length) return `${path}: ${a.length} rows → ${b.length}`
    const at = a.findIndex((item, i) => sortedText(item) !== sortedText(b[i]))
    return firstDifference(a[at], b[at], `${path}[]`)
  }
  if (isRecord(a) && isRecord(b)) {
    if (Object.keys(a).join() !== Object.keys(b).join())
      return `${path}: keys ${Object.keys(a).join()} → ${Object.keys(b).join()}`
    const key = Object.keys(a).find((name) => sortedText(a[name]) !== sortedText(b[name])) ?? ''
    return firstDifference(a[key], b[key], `${path}.${key}`)
  }
  return `${path}: ${JSON.stringify(a)} → ${JSON.stringify(b)}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
