import { z } from 'zod'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { EngineError } from '../../errors.ts'
import { wrongKindMessage } from '../../json/aeson-wording.ts'
import { isRecord } from '../../json/record.ts'
import type { GraphQLRequest, GraphqlApi } from '../../runtime/graphql-request.ts'

/** Hasura's name for the type of a request. Hasura's error messages contain it. */
const RECORD = 'Hasura.GraphQL.Transport.HTTP.Protocol.GQLReq(GQLReq)'
const NO_QUERY = `parsing ${RECORD} failed, key "query" not found`

const Body = z.object(
  {
    query: z.string({
      error: ({ input }) =>
        input === undefined ? NO_QUERY : wrongKindMessage('Text', 'String', input),
    }),
    operationName: z
      .string({ error: ({ input }) => wrongKindMessage('Name', 'String', input) })
      .regex(/^[_A-Za-z]\w*$/, { error: ({ input }) => `${input} is not valid GraphQL name` })
      .nullish(),
    variables: z
      .record(z.string(), z.unknown(), {
        error: ({ input }) => wrongKindMessage('HashMap', 'Object', input),
      })
      .nullish(),
    extensions: z.looseObject({ persistedQuery: z.unknown().optional() }).nullish().catch(null),
  },
  { error: ({ input }) => wrongKindMessage(RECORD, 'Object', input) },
)

/** The checked body of a GraphQL request. */
export type GraphqlBody = z.infer<typeof Body>

/**
 * Reads the payload of a WebSocket message that starts an operation.
 *
 * @throws parse-failed in the words of Hasura's JSON parser, not-supported for persisted queries
 */
export function readGraphqlRequest(body: unknown, api: GraphqlApi): GraphQLRequest {
  return toGraphqlRequest(parseGraphqlBody(body), api)
}

/**
 * Checks the body of a request, an entry of a batch, or the payload of a WebSocket message.
 *
 * @param path JSONPath of the body, for the error
 * @throws parse-failed in the words of Hasura's JSON parser
 */
export function parseGraphqlBody(body: unknown, path = '$'): GraphqlBody {
  const parsed = Body.safeParse(body)
  if (parsed.success) return parsed.data
  if (isRecord(body) && body.query === undefined) refusePersistedQuery(body.extensions)
  const { message, path: members } = requireValue(parsed.error.issues[0], 'an issue of zod')
  const member = message === NO_QUERY ? undefined : members[0]
  throw new EngineError('parse-failed', message, {
    path: member === undefined ? path : `${path}.${String(member)}`,
  })
}

/**
 * Creates a request from a checked body.
 *
 * @throws not-supported for persisted queries
 */
export function toGraphqlRequest(
  { query, operationName, variables, extensions }: GraphqlBody,
  api: GraphqlApi = 'graphql',
): GraphQLRequest {
  refusePersistedQuery(extensions)
  return { api, query, operationName: operationName ?? null, variables: variables ?? {} }
}

/** Rejects persisted queries, which only Hasura's paid edition supports. Clients then send the whole query. */
function refusePersistedQuery(extensions: unknown): void {
  if (isRecord(extensions) && extensions.persistedQuery !== undefined)
    throw new EngineError('not-supported', 'PersistedQueryNotSupported')
}
