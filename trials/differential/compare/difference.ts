import { z } from 'zod'
import { isList, isRecord } from '../../../packages/engine/json/record.ts'
import type { Answered } from '../servers/graphql-server.ts'
import { compactJson, maskVolatile } from './answer-text.ts'

/** What differs between two answers. */
export type Difference = {
  kind: 'status' | 'data' | 'order' | 'digits' | 'code' | 'path' | 'message' | 'errors' | 'rows'
  /** In a few words, the expected one first. */
  summary: string
}

/** How strict two answers are compared. */
export type Strictness = { isOrdered: boolean }

/**
 * Compares an answer with the expected one: the status, data with the order of its keys and the spelling of its numbers, and
 * of errors code, path and message. White space does not matter, nor what is only for admin (`internal`), nor values that
 * are new each time.
 */
export function answerDifference(
  expected: Answered,
  engine: Answered,
  { isOrdered }: Strictness,
): Difference | null {
  const [a, b] = [comparable(expected), comparable(engine)]
  if (expected.status !== engine.status)
    return { kind: 'status', summary: `status ${expected.status} → ${engine.status}` }
  if (a === b) return null
  const [told, other] = [errorsOf(expected.body), errorsOf(engine.body)]
  if (told && other) return errorDifference(told, other)
  if (told) return { kind: 'errors', summary: `error ${told[0]?.code} → data` }
  if (other) return { kind: 'errors', summary: `data → error ${other[0]?.code}` }
  if (sameRows(expected.body, engine.body))
    return isOrdered ? { kind: 'order', summary: 'other order of rows' } : null
  if (withEqualNumbers(a) === withEqualNumbers(b))
    return { kind: 'digits', summary: 'numbers with other digits' }
  return { kind: 'data', summary: firstDifference(expected.body, engine.body, '$') }
}

/** Compares the rows of all tables, as text. */
export function rowsDifference(expected: string, engine: string): Difference | null {
  const [a, b] = [maskVolatile(expected), maskVolatile(engine)]
  if (a === b) return null
  const kept = new Set(b.split('\n'))
  const missing = a.split('\n').find((line) => !kept.has(line)) ?? ''
  const kind = withEqualNumbers(a) === withEqualNumbers(b) ? 'digits' : 'rows'
  return { kind, summary: `other rows: ${missing.slice(0, 200)}` }
}

function comparable({ text }: Answered): string {
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

type Told = { code: string | undefined; path: string | undefined; message: string }

/** The errors of an answer of GraphQL or of another API; null if it has none. */
function errorsOf(body: unknown): Told[] | null {
  const graphql = ErrorBody.safeParse(body).data
  if (graphql)
    return graphql.errors.map(({ message, extensions: { code, path } }) => ({
      code,
      path,
      message,
    }))
  const other = MetadataError.safeParse(body).data
  return other ? [{ code: other.code, path: other.path, message: other.error }] : null
}

function errorDifference(told: readonly Told[], other: readonly Told[]): Difference | null {
  for (const [i, one] of told.entries()) {
    const there = other[i]
    for (const kind of ['code', 'path', 'message'] as const) {
      const [a, b] = [maskVolatile(one[kind] ?? ''), maskVolatile(there?.[kind] ?? '')]
      if (a !== b) return { kind, summary: `${kind} ${a} → ${b}` }
    }
  }
  if (told.length === other.length) return null
  return { kind: 'errors', summary: `${told.length} errors → ${other.length}` }
}

/** Whether both are the same but for the order of lists. */
function sameRows(a: unknown, b: unknown): boolean {
  return maskVolatile(sortedText(a)) === maskVolatile(sortedText(b))
}

/** JSON in which each list is sorted; keys stay in their order. */
function sortedText(value: unknown): string {
  if (isList(value)) return `[${value.map(sortedText).sort().join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${sortedText(member)}`,
  )
  return `{${members.join(',')}}`
}

/** The text with each number in the same spelling. */
function withEqualNumbers(text: string): string {
  return text.replaceAll(
    /("(?:[^"\\]|\\.)*")|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g,
    (number, string?: string) => string ?? String(Number(number)),
  )
}

/** Where two values first differ, by a path without the numbers of rows. */
function firstDifference(a: unknown, b: unknown, path: string): string {
  const [before, after] = [kindOf(a), kindOf(b)]
  if (before !== after) return `${path}: ${before} → ${after}`
  if (isList(a) && isList(b)) {
    if (a.length !== b.length) return `${path}: ${a.length} rows → ${b.length}`
    const at = a.findIndex((one, i) => sortedText(one) !== sortedText(b[i]))
    return firstDifference(a[at], b[at], `${path}[]`)
  }
  if (isRecord(a) && isRecord(b)) {
    if (Object.keys(a).join() !== Object.keys(b).join())
      return `${path}: keys ${Object.keys(a).join()} → ${Object.keys(b).join()}`
    const key = Object.keys(a).find((one) => sortedText(a[one]) !== sortedText(b[one])) ?? ''
    return firstDifference(a[key], b[key], `${path}.${key}`)
  }
  return `${path}: ${JSON.stringify(a)} → ${JSON.stringify(b)}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
