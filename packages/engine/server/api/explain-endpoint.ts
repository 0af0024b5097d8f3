import { z } from 'zod'
import { EngineError } from '../../errors.ts'
import { parseArgs } from '../../metadata-store/edit/parse-args.ts'
import { explainOperation } from '../../runtime/run/explain.ts'
import { createTrustedSession, pickSessionVariables } from '../../session/session-variables.ts'
import { jsonReply } from '../http/endpoint.ts'
import { parseGraphqlBody, toGraphqlRequest } from '../http/read-graphql-request.ts'
import { adminEndpoint } from './admin-endpoint.ts'

const Explanation = z.object({
  query: z.unknown(),
  /** The session variables to explain for, including the role; admin if absent. */
  user: z.record(z.string(), z.string()).nullish(),
  /** Whether the query is for `/v1beta1/relay`. */
  is_relay: z.boolean().nullish(),
})

/**
 * POST /v1/graphql/explain, for admin:
 * how the database would answer a query or subscription in a given session.
 */
export const explainEndpoint = adminEndpoint(async ({ body, services }) => {
  const { query, user, is_relay } = parseArgs(Explanation, body, '$')
  const session = createTrustedSession(pickSessionVariables(Object.entries(user ?? {})))
  const request = toGraphqlRequest(
    parseGraphqlBody(query, '$.query'),
    is_relay ? 'relay' : 'graphql',
  )
  const explained = await explainOperation(services.engine, request, session).catch(
    (thrown: unknown) => {
      throw isUnreadable(thrown) ? unreadableQuery(thrown) : thrown
    },
  )
  return jsonReply(JSON.stringify(explained))
}, 'You have to be an admin to access this endpoint')

/** Whether the query is not a document: the only error at this path. */
function isUnreadable(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.path === '$.query'
}

function unreadableQuery(cause: unknown): EngineError {
  const path = '$.query.query'
  return new EngineError('parse-failed', 'parsing the graphql query failed', { path, cause })
}
