import { z } from 'zod'
import { EngineError } from '../errors.ts'
import type { GraphQLRequest } from '../request.ts'

/**
 * Reads one entry of a `/v1/graphql` body, or the payload of a socket's message.
 *
 * @throws parse-failed or invalid-params that names what is wrong
 */
export function graphqlRequest(entry: unknown): GraphQLRequest {
  const body = Body.safeParse(entry)
  if (body.success) return request(body.data)
  throw new EngineError('parse-failed', explanation(entry, body.error))
}

const Body = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.looseObject({ persistedQuery: z.unknown().optional() }).nullish().catch(null),
})

function request({
  query,
  operationName,
  variables,
  extensions,
}: z.infer<typeof Body>): GraphQLRequest {
  // Only the paid edition of Hasura has them; a client that gets this sends its query as it is.
  if (extensions?.persistedQuery !== undefined) {
    throw new EngineError('not-supported', 'PersistedQueryNotSupported')
  }
  return { query, operationName: operationName ?? null, variables: variables ?? {} }
}

function explanation(entry: unknown, { issues: [issue] }: z.ZodError): string {
  if (issue?.path.length === 0) return `expected Object, but encountered ${kind(entry)}`
  const field = issue?.path.join('.')
  const missing =
    issue?.path[0] === 'query' && typeof entry === 'object' && entry && !('query' in entry)
  return missing ? 'key "query" not found' : `${field}: ${issue?.message}`
}

function kind(value: unknown): string {
  if (value === null) return 'Null'
  return `${typeof value}`.replace(/^./, (letter) => letter.toUpperCase())
}
