import { EngineError } from '../../errors.ts'
import { loggableError } from '../../log/loggable-request.ts'
import type { GraphqlApi } from '../../runtime/graphql-request.ts'
import type { Answer } from '../../runtime/run/answer-parts.ts'
import { answerOperation } from '../../runtime/run/run.ts'
import { type Audience, renderGraphqlError } from '../../session/render-error.ts'
import { type AuthenticatedRequest, authenticatedEndpoint } from './authenticated-endpoint.ts'
import { type Endpoint, errorReply, type HttpReply, jsonReply } from './endpoint.ts'
import { logFailure } from './log-failure.ts'
import { type GraphqlBody, parseGraphqlBody, toGraphqlRequest } from './read-graphql-request.ts'

/** POST /v1/graphql. */
export const graphqlEndpoint = endpointOf('graphql')

/** POST /v1beta1/relay: like /v1/graphql, with the schema for Relay clients. */
export const relayEndpoint = endpointOf('relay')

/** Creates an endpoint that answers an operation, or an array of operations (a batch) in order. */
function endpointOf(api: GraphqlApi): Endpoint {
  return authenticatedEndpoint({
    isGraphql: true,
    async answer(authenticated) {
      const request = { ...authenticated, api }
      if (Array.isArray(request.body)) return answerBatch(request, request.body)
      const { body, cookies } = await answerSingle(request, request.body)
      return jsonReply(body, cookies)
    },
    renderFailure: graphqlErrorReply,
  })
}

type ApiRequest = AuthenticatedRequest & { api: GraphqlApi }

/** Returns an error with status 200. Only 413, 429 and, with HASURA_GRAPHQL_PRESERVE_401_ERRORS, 401 keep their status. */
function graphqlErrorReply(error: EngineError, audience: Audience): HttpReply {
  const { status, retryAfterSeconds } = error
  const keepsStatus =
    status === 413 || status === 429 || (status === 401 && audience.config.preserve401Errors)
  const reply = errorReply(keepsStatus ? status : 200, errorsJson(error, audience))
  if (retryAfterSeconds === null) return reply
  return { ...reply, headers: { 'Retry-After': String(retryAfterSeconds) } }
}

function answerSingle(authenticated: ApiRequest, body: unknown): Promise<Answer> {
  return runRequestBody(authenticated, parseGraphqlBody(body))
}

/**
 * Runs the entries in order, each in its own transaction. The result of a failed entry is its error. Runs no entry if one of
 * them cannot be parsed, and starts no entry after the client has disconnected.
 */
async function answerBatch(
  authenticated: ApiRequest,
  entries: readonly unknown[],
): Promise<HttpReply> {
  const bodies = entries.map((entry, i) => parseGraphqlBody(entry, `$[${i}]`))
  const answers: BatchAnswer[] = []
  const { signal } = authenticated.request.client
  let bytes = 0
  for (const body of bodies) {
    if (signal.aborted) break
    const answer =
      bytes > maxBatchBytes(authenticated)
        ? renderBatchError(authenticated, batchTooLarge())
        : await answerBatchEntry(authenticated, body)
    answers.push(answer)
    bytes += answer.body.length
  }
  const body = `[${answers.map((answer) => answer.body).join(',')}]`
  const cookies = answers.flatMap((answer) => answer.cookies)
  return { ...jsonReply(body, cookies), batch: answers.map(({ logged }) => logged) }
}

/** The answer to an entry of a batch, and what the log says of it. */
type BatchAnswer = Answer & { logged: object }

async function answerBatchEntry(
  authenticated: ApiRequest,
  body: GraphqlBody,
): Promise<BatchAnswer> {
  const startedAt = performance.now()
  try {
    const answer = await runRequestBody(authenticated, body)
    const seconds = (performance.now() - startedAt) / 1_000
    const response_size = Buffer.byteLength(answer.body)
    return { ...answer, logged: { response_size, query_execution_time: seconds } }
  } catch (thrown) {
    const { request, services } = authenticated
    const place = { requestId: request.client.requestId, path: request.path }
    return renderBatchError(authenticated, logFailure(thrown, place, services.engine.log))
  }
}

function renderBatchError(
  { session, services }: AuthenticatedRequest,
  error: EngineError,
): BatchAnswer {
  const { config } = services.engine
  const logged = { error: loggableError(error, config) }
  return { body: errorsJson(error, { session, config }), cookies: [], logged }
}

/** Returns the limit for the results of a batch. Once they are longer, the remaining entries are rejected. */
function maxBatchBytes({ session, services }: AuthenticatedRequest): number {
  const { callerMaxAnswerBytes } = services.engine.config
  return session.basis === 'secret' ? Number.POSITIVE_INFINITY : callerMaxAnswerBytes
}

function batchTooLarge(): EngineError {
  return new EngineError(
    'query-too-costly',
    'the results of the earlier operations in this batch are too large',
  )
}

async function runRequestBody(
  { services, session, request, api }: ApiRequest,
  body: GraphqlBody,
): Promise<Answer> {
  return answerOperation(services.engine, toGraphqlRequest(body, api), session, request.client)
}

function errorsJson(error: EngineError, audience: Audience): string {
  return JSON.stringify({ errors: [renderGraphqlError(error, audience)] })
}
