import type { EngineError } from '../errors.ts'
import { type Answer, run } from '../run/run.ts'
import { type Audience, renderGraphqlError, toEngineError } from '../session/render-error.ts'
import { type AuthenticatedRequest, authenticatedEndpoint } from './authenticated-endpoint.ts'
import { errorReply, type HttpReply, jsonReply } from './endpoint.ts'
import { type GraphqlBody, parseGraphqlBody, toGraphqlRequest } from './read-graphql-request.ts'

/** POST /v1/graphql: one operation, or an array of them run one after another. */
export const graphqlEndpoint = authenticatedEndpoint({
  async answer(caller) {
    const { body, cookies } = Array.isArray(caller.body)
      ? await answerBatch(caller, caller.body)
      : await answerSingle(caller, caller.body)
    return jsonReply(body, cookies)
  },
  renderFailure: graphqlErrorReply,
})

/** Errors have the status 200 here, except a body that is too large (413), and 401 if that is configured. */
function graphqlErrorReply(error: EngineError, audience: Audience): HttpReply {
  const kept = error.status === 413 || (error.status === 401 && audience.config.preserve401Errors)
  return errorReply(kept ? error.status : 200, errorsJson(error, audience))
}

function answerSingle(caller: AuthenticatedRequest, body: unknown): Promise<Answer> {
  return runRequestBody(caller, parseGraphqlBody(body))
}

/**
 * Runs the entries in order, each in its own transaction;
 * one that fails answers its error. Stops if the client has gone.
 */
async function answerBatch(
  caller: AuthenticatedRequest,
  entries: readonly unknown[],
): Promise<Answer> {
  const bodies = entries.map((entry, i) => parseGraphqlBody(entry, `$[${i}]`))
  const answers: Answer[] = []
  let hasGone = false
  caller.request.client.onGone(() => {
    hasGone = true
  })
  for (const body of bodies) if (!hasGone) answers.push(await answerBatchEntry(caller, body))
  const body = `[${answers.map((answer) => answer.body).join(',')}]`
  return { body, cookies: answers.flatMap((answer) => answer.cookies) }
}

async function answerBatchEntry(caller: AuthenticatedRequest, body: GraphqlBody): Promise<Answer> {
  try {
    return await runRequestBody(caller, body)
  } catch (thrown) {
    const audience = { session: caller.session, config: caller.services.engine.config }
    return { body: errorsJson(toEngineError(thrown), audience), cookies: [] }
  }
}

async function runRequestBody(
  { services, session, request }: AuthenticatedRequest,
  body: GraphqlBody,
): Promise<Answer> {
  return run(services.engine, toGraphqlRequest(body), session, request.client)
}

function errorsJson(error: EngineError, audience: Audience): string {
  return JSON.stringify({ errors: [renderGraphqlError(error, audience)] })
}
