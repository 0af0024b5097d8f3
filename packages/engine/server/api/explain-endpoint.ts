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
  /** The session variables of the explained request, including the role; default: admin. */
  user: z.record(z.string(), z.string()).nullish(),
  /** True if the query is for `/v1beta1/relay`. */
  is_relay: z.boolean().nullish(),
})

/**
 * POST /v1/graphql/explain, for admin: returns the SQL and PostgreSQL's plan of a query or subscription for any session.
 */
export const explainEndpoint = adminEndpoint(async ({ body, services }) => {
  const { query, user, is_relay } = parseArgs(Explanation, body, '$')
  const session = createTrustedSession(pickSessionVariables(Object.entries(user ?? {})))
  const request = toGraphqlRequest(
    parseGraphqlBody(query, '$.query'),
    is_relay ? 'relay' : 'graphql',
  )
  const explanation = await explainOperation(services.engine, request, session).catch(
    (thrown: unknown) => {
      throw isUnreadable(thrown) ? unreadableQuery(thrown) : thrown
    },
  )
  return jsonReply(JSON.stringify(explanation))
}, 'You have to be an admin to access this endpoint')

/** True if the query is not a GraphQL document: no other error has this path. */
function isUnreadable(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.path === '$.query'
}

function unreadableQuery(cause: unknown): EngineError {
  const path = '$.query.query'
  return new EngineError('parse-failed', 'parsing the graphql query failed', { path, cause })
}
