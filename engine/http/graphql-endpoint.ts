import type { EngineError } from '../errors.ts'
import { type Answer, run } from '../run/run.ts'
import { type Audience, graphqlError, toEngineError } from '../session/render-error.ts'
import { type Call, guarded } from './authenticated-endpoint.ts'
import { failure, json, type Reply } from './endpoint.ts'
import { type RequestBody, requestBody, requestOf } from './read-graphql-request.ts'

/** POST /v1/graphql: one operation, or an array of them run one after another. */
export const graphqlEndpoint = guarded({
  async answer(call) {
    const { body, cookies } = Array.isArray(call.body)
      ? await batch(call, call.body)
      : await single(call, call.body)
    return json(body, cookies)
  },
  refuse,
})

/** Errors have the status 200 here, except a body that is too large (413), and 401 if that is configured. */
function refuse(error: EngineError, audience: Audience): Reply {
  const kept = error.status === 413 || (error.status === 401 && audience.config.preserve401Errors)
  return failure(kept ? error.status : 200, errors(error, audience))
}

function single(call: Call, body: unknown): Promise<Answer> {
  return answerTo(call, requestBody(body))
}

/**
 * Runs the entries in order, each in its own transaction;
 * one that fails answers its error. Stops if the client has gone.
 */
async function batch(call: Call, entries: readonly unknown[]): Promise<Answer> {
  const bodies = entries.map((entry, i) => requestBody(entry, `$[${i}]`))
  const answers: Answer[] = []
  let hasGone = false
  call.exchange.client.onGone(() => {
    hasGone = true
  })
  for (const body of bodies) if (!hasGone) answers.push(await entryAnswer(call, body))
  const body = `[${answers.map((answer) => answer.body).join(',')}]`
  return { body, cookies: answers.flatMap((answer) => answer.cookies) }
}

async function entryAnswer(call: Call, body: RequestBody): Promise<Answer> {
  try {
    return await answerTo(call, body)
  } catch (thrown) {
    const audience = { session: call.session, config: call.services.engine.config }
    return { body: errors(toEngineError(thrown), audience), cookies: [] }
  }
}

async function answerTo({ services, session, exchange }: Call, body: RequestBody): Promise<Answer> {
  return run(services.engine, requestOf(body), session, exchange.client)
}

function errors(error: EngineError, audience: Audience): string {
  return JSON.stringify({ errors: [graphqlError(error, audience)] })
}
