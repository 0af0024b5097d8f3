import { z } from 'zod'
import { explain } from '../explain.ts'
import { json } from '../http/exchange.ts'
import { graphqlRequest } from '../http/graphql-request.ts'
import { guarded } from '../http/guarded.ts'
import { sessionVariables, trustedSession } from '../session/session-variables.ts'
import { refuse, requireAdmin } from './command.ts'
import { parseArgs } from './parse-args.ts'

const Asked = z.object({
  query: z.unknown(),
  /** Session variables of whom to answer, the role among them; admin when absent. */
  user: z.record(z.string(), z.string()).nullish(),
})

/** POST /v1/graphql/explain: how the database would answer a query or subscription of somebody, for admin. */
export const explainEndpoint = guarded({
  async answer({ body, session, services }) {
    requireAdmin(session)
    const { query, user } = parseArgs(Asked, body, '$')
    const asker = trustedSession(sessionVariables(Object.entries(user ?? {})))
    return json(JSON.stringify(await explain(services.engine, graphqlRequest(query), asker)))
  },
  refuse,
})
