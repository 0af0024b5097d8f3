import { z } from 'zod'
import { parseArgs } from '../document/parse-args.ts'
import { authenticatedEndpoint } from '../http/authenticated-endpoint.ts'
import { jsonReply } from '../http/endpoint.ts'
import { readGraphqlRequest } from '../http/read-graphql-request.ts'
import { explain } from '../run/explain.ts'
import { createTrustedSession, pickSessionVariables } from '../session/session-variables.ts'
import { refuse, requireAdmin } from './command.ts'

const Asked = z.object({
  query: z.unknown(),
  /** The session variables to explain for, including the role; admin if absent. */
  user: z.record(z.string(), z.string()).nullish(),
})

/**
 * POST /v1/graphql/explain, for admin:
 * how the database would answer a query or subscription in a given session.
 */
export const explainEndpoint = authenticatedEndpoint({
  async answer({ body, session, services }) {
    requireAdmin(session)
    const { query, user } = parseArgs(Asked, body, '$')
    const asker = createTrustedSession(pickSessionVariables(Object.entries(user ?? {})))
    return jsonReply(
      JSON.stringify(await explain(services.engine, readGraphqlRequest(query), asker)),
    )
  },
  renderFailure: refuse,
})
