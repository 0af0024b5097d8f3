import type { ServerRequest } from './servers/graphql-server.ts'

/** A difference with everything that reproduces it. */
export type Reproduction = {
  /** A short description of the difference. */
  difference: string
  sql: readonly string[]
  metadata: unknown
  request: ServerRequest
  /** The texts of the engine's response and of the expected response. */
  engine: string
  expected: string
  /** The source of the expected response: a Hasura, a recording, or the reference. */
  source: string
}

/** Describes a difference in a text for an issue. */
export function describeReproduction(reproduction: Reproduction): string {
  const { difference, sql, metadata, request, engine, expected, source } = reproduction
  return [
    `DIFFERENCE ${difference}`,
    section('schema', sql.map((statement) => `${statement.trim().replace(/;$/, '')};`).join('\n')),
    section('metadata', JSON.stringify(metadata, null, 1)),
    section('headers', JSON.stringify(request.headers)),
    section('request', requestText(request.body)),
    section(source, expected),
    section('the embedded engine', engine),
  ].join('\n')
}

function section(title: string, text: string): string {
  return `── ${title}\n${text}`
}

/** Formats a GraphQL request with the document on separate lines. */
function requestText(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('query' in body)) return JSON.stringify(body)
  const { query, ...members } = body
  const suffix = Object.keys(members).length > 0 ? `\n${JSON.stringify(members)}` : ''
  return `${typeof query === 'string' ? query : JSON.stringify(query)}${suffix}`
}
