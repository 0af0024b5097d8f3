import { z } from 'zod'
import { EngineError } from '../errors.ts'
import { unexpected } from '../json/aeson.ts'
import type { GraphQLRequest } from '../request/graphql-request.ts'

const RECORD = 'Hasura.GraphQL.Transport.HTTP.Protocol.GQLReq(GQLReq)'
const NO_QUERY = `parsing ${RECORD} failed, key "query" not found`

const Body = z.object(
  {
    query: z.string({
      error: ({ input }) => (input === undefined ? NO_QUERY : unexpected('Text', 'String', input)),
    }),
    operationName: z
      .string({ error: ({ input }) => unexpected('Name', 'String', input) })
      .nullish(),
    variables: z
      .record(z.string(), z.unknown(), {
        error: ({ input }) => unexpected('HashMap', 'Object', input),
      })
      .nullish(),
    extensions: z.looseObject({ persistedQuery: z.unknown().optional() }).nullish().catch(null),
  },
  { error: ({ input }) => unexpected(RECORD, 'Object', input) },
)

/** A body whose members have been checked. */
export type GraphqlBody = z.infer<typeof Body>

/**
 * Reads a `/v1/graphql` body, or the payload of a socket's message.
 *
 * @throws parse-failed or not-supported that names what is wrong
 */
export function readGraphqlRequest(body: unknown): GraphQLRequest {
  return toGraphqlRequest(parseGraphqlBody(body))
}

/**
 * The members of a body, or of an entry of a batch.
 *
 * @throws parse-failed in the words of Hasura's JSON parser
 */
export function parseGraphqlBody(body: unknown, path = '$'): GraphqlBody {
  const parsed = Body.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const message = issue?.message ?? 'malformed'
  const member = message === NO_QUERY ? undefined : issue?.path[0]
  throw new EngineError('parse-failed', message, {
    path: member === undefined ? path : `${path}.${String(member)}`,
  })
}

/**
 * The request that a body makes.
 *
 * @throws not-supported
 */
export function toGraphqlRequest({
  query,
  operationName,
  variables,
  extensions,
}: GraphqlBody): GraphQLRequest {
  // Only the paid edition of Hasura has them; after this error a client sends the whole query.
  if (extensions?.persistedQuery !== undefined) {
    throw new EngineError('not-supported', 'PersistedQueryNotSupported')
  }
  return { query, operationName: operationName ?? null, variables: variables ?? {} }
}
