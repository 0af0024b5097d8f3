import express, { type Request, type Response } from 'express'
import { z } from 'zod'
import { resultInTime } from '../../lib/runtime/calls/result-in-time.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { abortOnClose } from '../../lib/runtime/limits/abort-signals.ts'
import { isOverloadError } from '../../lib/runtime/limits/delay-refusals.ts'
import type { LoopShare } from '../../lib/runtime/limits/loop-share.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import {
  IDEMPOTENCY_KEY,
  type IdempotentRequest,
  markReplayed,
  readIdempotentRequest,
} from '../../lib/runtime/web/idempotency-key.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { requireJson } from '../../lib/runtime/web/source.ts'
import { BEARER_CHALLENGE } from '../credentials/bearer.ts'
import type { CallerNames } from '../credentials/caller-names.ts'
import { canonicalCredentials } from '../credentials/caller-names.ts'
import { readAuthorization } from '../credentials/session-cookie.ts'
import { BEARER } from '../route/audiences.ts'
import { MAX_GRAPHQL_BYTES } from '../route/body-sizes.ts'
import { answerOnce, LONGEST_CALL_MS, type Mutation, type OnceServices } from './answer-once.ts'
import { callHasura, type HasuraAnswer, jsonAnswer } from './call-hasura.ts'
import type { GraphqlShare } from './graphql-share.ts'
import { credentialOutcome, isRefusal, isShort, isUnknownHash } from './judge-answer.ts'
import { judgeBody, refusal, type ValidBody } from './judge-request.ts'
import { asGraphqlResponse } from './media-type.ts'
import type { PersistedQueries } from './persisted/persisted-queries.ts'
import { type Resolution, resolvePersisted } from './persisted/resolve-persisted.ts'
import { readGraphql } from './read-request.ts'
import { reportsUnavailable } from './reports-unavailable.ts'
import type { Standby } from './standby/standby-reads.ts'

export type ForwardServices = OnceServices & {
  baseUrl: string
  hasura: { endpoint: string; timeoutMs: number }
  /** Null without a standby. */
  standby: Standby | null
  graphqlShare: GraphqlShare
  callers: CallerNames
  /** Shares the time of the event loop between callers with large documents. */
  loop: LoopShare
  /** Returns the id of the team or user with these credentials, or null for wrong credentials. */
  findCaller(
    authorization: string | undefined,
    headers: Record<string, string>,
  ): Promise<string | null>
  /** Explains to the caller why its credentials are refused. */
  explainCredentials(
    authorization: string | undefined,
    headers: Record<string, string>,
  ): Promise<string>
  persistedQueries: PersistedQueries
}

const readBody = express.raw({ type: () => true, limit: MAX_GRAPHQL_BYTES })

/** The body of a GraphQL request, for the OpenAPI document. Hasura checks the members. */
const Body = z.looseObject({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
})

const Answer = z.looseObject({
  data: z.unknown().optional(),
  errors: z.array(z.unknown()).optional(),
})

/** The responses in the newer media type, in which the HTTP status shows errors. */
const GRAPHQL_RESPONSE = {
  type: 'application/graphql-response+json',
  answers: { 200: Answer, 400: Answer, 401: Answer, 500: Answer },
}

/**
 * Forwards a GraphQL request to Hasura, and returns Hasura's response. If Hasura rejects the credentials, the response
 * says why. Runs a mutation with an idempotency key once.
 *
 * @throws validation_error and the codes in `errors`
 */
export const forwardGraphql: Operation<ForwardServices, unknown> = {
  tag: 'Data',
  summary:
    'GraphQL: read and change apps, actions and nullifiers. A list of requests gets a list of responses',
  answers: { 200: z.union([Answer, z.array(Answer)]), 401: Answer },
  inOtherType: GRAPHQL_RESPONSE,
  security: BEARER,
  takesIdempotencyKey: true,
  passesOn: Body,
  errors: [
    'invalid_request',
    'payload_too_large',
    'invalid_content_type',
    'quota_exceeded',
    'request_under_way',
    'answer_not_kept',
    'idempotency_key_reused',
    'rate_limited',
    'unavailable',
  ],
  before: () => readBody,
  handle: (services) => async (_input, request, response) => {
    if (request.method === 'POST') requireJson(request)
    const authorization = readAuthorization(request.headers, services.baseUrl)
    // Replaces the portal's cookie, so that later code sees only the header.
    if (authorization !== undefined) request.headers.authorization = authorization
    const signal = abortOnClose(response)
    try {
      const answer = await answerInTurn(services, { request, response, signal })
      if (isShort(answer) && reportsUnavailable(answer.body)) throw new ApiError('unavailable')
      if (isRefusal(answer) && !isUnknownHash(answer))
        await services.graphqlShare.delayRefusal(request, signal)
      services.graphqlShare.countAnswer(request, response, answer.body.length)
      sendAnswer(request, response, answer)
    } catch (error) {
      // lib/runtime/limits/delay-refusals.ts delays overload errors, on every route.
      if (!isOverloadError(error)) await services.graphqlShare.delayRefusal(request, signal)
      throw error
    }
  },
}

/** The query string of a GET, for the OpenAPI document. */
const UrlParameters = z.object({
  query: z
    .string()
    .optional()
    .describe('The GraphQL document; optional if the server knows its hash'),
  operationName: z.string().optional(),
  variables: z.string().optional().describe('As JSON'),
  extensions: z.string().optional().describe('As JSON, such as the hash of a persisted query'),
})

/**
 * Handles a GraphQL query in the query string like `forwardGraphql`.
 *
 * @throws method_not_allowed for a mutation
 */
export const queryGraphql: Operation<ForwardServices, unknown> = {
  tag: 'Data',
  summary: 'GraphQL: read apps, actions and nullifiers with a request in the query string',
  answers: { 200: Answer, 401: Answer },
  inOtherType: GRAPHQL_RESPONSE,
  security: BEARER,
  passesOn: UrlParameters,
  errors: ['method_not_allowed', 'rate_limited', 'unavailable'],
  handle: forwardGraphql.handle,
}

/** `signal` aborts when the response is closed, for example because the caller disconnects. */
type Exchange = { request: Request; response: Response; signal: AbortSignal }

async function answerInTurn(services: ForwardServices, exchange: Exchange): Promise<HasuraAnswer> {
  const { graphqlShare, hasura } = services
  const leave = await graphqlShare.enter(exchange, exchange.signal)
  const work = answerJudged(services, exchange)
    .then((answer) => {
      const outcome = credentialOutcome(answer)
      if (outcome) graphqlShare.settleCredentials(exchange.request, outcome)
      return answer
    })
    .finally(leave)
  if (exchange.request.headers[IDEMPOTENCY_KEY] === undefined) return work
  // A mutation with an idempotency key runs on after this timeout and after its caller disconnects. A retry gets the response.
  const answer = await resultInTime(hasura.timeoutMs, work)
  if (!answer) throw new ApiError('unavailable', { cause: new Error('no response in time') })
  return answer
}

async function answerJudged(services: ForwardServices, exchange: Exchange): Promise<HasuraAnswer> {
  const { request } = exchange
  const caller = services.callers.nameOf(request.headers.authorization)
  const compute = <T>(work: () => T) => services.loop.run(caller, work)
  const resolution = await compute(() => resolveRequest(services, request))
  if ('refusal' in resolution) return sendRefusal(services, exchange, resolution.refusal)
  const body = await judgeBody(resolution.json, compute)
  if ('refusal' in body) return sendRefusal(services, exchange, body.refusal)
  requirePostToChange(exchange, body)
  const answer = await runRequest(services, exchange, body)
  if (credentialOutcome(answer) === 'wrong') return explainRefusal(services, exchange, answer)
  resolution.remember()
  return answer
}

/** Returns the response to a request that is refused here. Hasura is not called. */
function sendRefusal(
  { graphqlShare }: ForwardServices,
  { request }: Exchange,
  responseBody: object,
): HasuraAnswer {
  graphqlShare.settleCredentials(request, 'unknown')
  return jsonAnswer(Buffer.from(JSON.stringify(responseBody)))
}

/** Reads a request, and finds its GraphQL document if the request has only the hash. */
function resolveRequest({ persistedQueries }: ForwardServices, request: Request): Resolution {
  const reading = readGraphql(request)
  if ('refusal' in reading) return reading
  const { authorization } = request.headers
  // The credentials have not been checked yet, so documents are stored separately for each of them.
  return resolvePersisted(reading.json, {
    caller: hashToken(canonicalCredentials(authorization)),
    persistedQueries,
  })
}

/** @throws method_not_allowed for a mutation with GET, since following a link must change nothing */
function requirePostToChange({ request, response }: Exchange, { isMutation }: ValidBody) {
  if (request.method === 'POST' || !isMutation) return
  response.setHeader('allow', 'POST')
  throw new ApiError('method_not_allowed', { detail: 'Send a mutation with POST.' })
}

async function runRequest(
  services: ForwardServices,
  exchange: Exchange,
  body: ValidBody,
): Promise<HasuraAnswer> {
  const repeatable = readIdempotentRequest(exchange.request, () => body.text)
  const isOnce = repeatable && body.isMutation
  const mutation = isOnce ? await mutationOf(services, { exchange, repeatable, body }) : null
  if (mutation) return runOnce(services, { exchange, mutation, body })
  const { signal } = exchange
  // When the caller disconnects, the GraphQL engine cancels the statement.
  const signals = [signal, AbortSignal.timeout(services.hasura.timeoutMs)]
  return forwardBody(body, services, { ...exchange, signal: AbortSignal.any(signals) })
}

/** Replaces Hasura's message for wrong credentials by the reason. The status and the code stay. */
async function explainRefusal(
  { explainCredentials }: ForwardServices,
  { request, response }: Exchange,
  answer: HasuraAnswer,
): Promise<HasuraAnswer> {
  const { requestId, log } = requestContext.get(response)
  const { authorization } = request.headers
  try {
    const message = await explainCredentials(authorization, { 'x-request-id': requestId })
    const explanation = refusal('access-denied', { path: '$', message })
    return { ...answer, body: Buffer.from(JSON.stringify(explanation)) }
  } catch (err) {
    // Without the reason, the caller gets Hasura's message.
    log.warn({ err }, 'refusal not explained')
    return answer
  }
}

function forwardBody(
  { text, isMutation }: ValidBody,
  { hasura: { endpoint }, standby }: ForwardServices,
  { request, response, signal }: Exchange,
): Promise<HasuraAnswer> {
  const { requestId } = requestContext.get(response)
  const call = { authorization: request.headers.authorization, requestId, signal }
  const askPrimary = () => callHasura(text, { ...call, endpoint })
  return standby && !isMutation ? standby.answer(text, call, askPrimary) : askPrimary()
}

type KeyedRequest = { exchange: Exchange; repeatable: IdempotentRequest; body: ValidBody }

/** Returns the mutation with its caller. Returns null for wrong credentials: an idempotency key belongs to a team or user. */
async function mutationOf(
  { findCaller }: ForwardServices,
  { exchange, repeatable, body }: KeyedRequest,
): Promise<Mutation | null> {
  const { requestId, log } = requestContext.get(exchange.response)
  const { authorization } = exchange.request.headers
  const caller = await findCaller(authorization, { 'x-request-id': requestId })
  const { returnsSecret } = body
  return caller === null ? null : { caller, repeatable, returnsSecret, requestId, log }
}

async function runOnce(
  services: ForwardServices,
  { exchange, mutation, body }: { exchange: Exchange; mutation: Mutation; body: ValidBody },
): Promise<HasuraAnswer> {
  const signal = AbortSignal.timeout(LONGEST_CALL_MS)
  const runMutation = () => forwardBody(body, services, { ...exchange, signal })
  const outcome = await answerOnce(services, mutation, runMutation)
  if ('answer' in outcome) return outcome.answer
  return { ...jsonAnswer(outcome.storedBody), isReplay: true }
}

function sendAnswer(request: Request, response: Response, answer: HasuraAnswer) {
  const { status, headers, body, isReplay } = answer
  if (isReplay) markReplayed(response)
  if (status === 401) response.setHeader('www-authenticate', BEARER_CHALLENGE)
  const retryAfter = headers.get('retry-after')
  if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
  const head = asGraphqlResponse(request, answer) ?? {
    status,
    type: headers.get('content-type') ?? 'application/json',
  }
  response.vary('accept').status(head.status).type(head.type).send(body)
}
