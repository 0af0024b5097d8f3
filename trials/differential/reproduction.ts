import type { Asking } from './servers/graphql-server.ts'

/** A difference, with all that is needed to see it again. */
export type Reproduction = {
  /** In a few words what differs. */
  difference: string
  sql: readonly string[]
  metadata: unknown
  asked: Asking
  /** The engine's answer, and what it should have been, as text. */
  engine: string
  expected: string
  /** Who says so: a Hasura, a recording of one, or the reference. */
  by: string
}

/** The difference as a text that can be pasted into an issue. */
export function describeReproduction(found: Reproduction): string {
  const { difference, sql, metadata, asked, engine, expected, by } = found
  return [
    `DIFFERENCE ${difference}`,
    section('schema', sql.map((statement) => `${statement.trim().replace(/;$/, '')};`).join('\n')),
    section('metadata', JSON.stringify(metadata, null, 1)),
    section('headers', JSON.stringify(asked.headers)),
    section('request', requestText(asked.body)),
    section(by, expected),
    section('the embedded engine', engine),
  ].join('\n')
}

function section(title: string, text: string): string {
  return `── ${title}\n${text}`
}

/** A GraphQL request with its document in lines of its own. */
function requestText(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('query' in body)) return JSON.stringify(body)
  const { query, ...rest } = body
  const others = Object.keys(rest).length > 0 ? `\n${JSON.stringify(rest)}` : ''
  return `${typeof query === 'string' ? query : JSON.stringify(query)}${others}`
}
