import { z } from 'zod'
import { parseArgs } from '../document/parse-args.ts'
import { jsonReply } from '../http/endpoint.ts'
import { readGraphqlRequest } from '../http/read-graphql-request.ts'
import { explainOperation } from '../run/explain.ts'
import { createTrustedSession, pickSessionVariables } from '../session/session-variables.ts'
import { adminEndpoint } from './admin-endpoint.ts'

const Explanation = z.object({
  query: z.unknown(),
  /** The session variables to explain for, including the role; admin if absent. */
  user: z.record(z.string(), z.string()).nullish(),
})

/**
 * POST /v1/graphql/explain, for admin:
 * how the database would answer a query or subscription in a given session.
 */
export const explainEndpoint = adminEndpoint(async ({ body, services }) => {
  const { query, user } = parseArgs(Explanation, body, '$')
  const session = createTrustedSession(pickSessionVariables(Object.entries(user ?? {})))
  return jsonReply(
    JSON.stringify(await explainOperation(services.engine, readGraphqlRequest(query), session)),
  )
})
