import express, { type Request, type Response } from 'express'
import { z } from 'zod'
import { resultInTime } from '../../lib/runtime/calls/result-in-time.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { abortOnClose } from '../../lib/runtime/limits/abort-signals.ts'
import { isToldToComeBack } from '../../lib/runtime/limits/delay-refusals.ts'
import type { LoopShare } from '../../lib/runtime/limits/loop-share.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import {
  IDEMPOTENCY_KEY,
  markReplayed,
  type Repeatable,
  readRepeatable,
} from '../../lib/runtime/web/idempotency-key.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { requireJson } from '../../lib/runtime/web/source.ts'
import { BEARER_CHALLENGE } from '../credentials/bearer.ts'
import type { KnownCallers } from '../credentials/known-callers.ts'
import { ownAuthorization } from '../credentials/session-cookie.ts'
import { BEARER } from '../route/audiences.ts'
import { MAX_GRAPHQL_BYTES } from '../route/body-sizes.ts'
import { answerOnce, LONGEST_CALL_MS, type Mutation, type OnceServices } from './answer-once.ts'
import { callHasura, type HasuraAnswer, jsonAnswer } from './call-hasura.ts'
import type { GraphqlShare } from './graphql-share.ts'
import { credentialOutcome, isRefusal, isShort, isUnknownHash } from './judge-answer.ts'
import { type GoodBody, judgeBody, refusal } from './judge-request.ts'
import { meansUnavailable } from './means-unavailable.ts'
import { asGraphqlResponse } from './media-type.ts'
import type { PersistedQueries } from './persisted/persisted-queries.ts'
import { type Resolved, resolvePersisted } from './persisted/resolve-persisted.ts'
import { readGraphql } from './read-request.ts'
import type { Standby } from './standby/standby-reads.ts'

export type ForwardServices = OnceServices & {
  baseUrl: string
  hasura: { endpoint: string; timeoutMs: number }
  /** Null where there is none. */
  standby: Standby | null
  graphqlShare: GraphqlShare
  callers: KnownCallers
  /** The time of the event loop, for large documents. */
  loop: LoopShare
  /** The id of the team or user whose credentials these are; null for wrong ones. */
  findCaller(
    authorization: string | undefined,
    headers: Record<string, string>,
  ): Promise<string | null>
  /** Why credentials are refused, in words for whoever sent them. */
  explainCredentials(
    authorization: string | undefined,
    headers: Record<string, string>,
  ): Promise<string>
  persistedQueries: PersistedQueries
}

const readBody = express.raw({ type: () => true, limit: MAX_GRAPHQL_BYTES })

/** A request of GraphQL over HTTP, for the description; Hasura checks its members. */
const Body = z.looseObject({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
})

const Answer = z.looseObject({
  data: z.unknown().optional(),
  errors: z.array(z.unknown()).optional(),
})

/** What clients get that prefer the newer media type, in which the status tells more. */
const GRAPHQL_RESPONSE = {
  type: 'application/graphql-response+json',
  answers: { 200: Answer, 400: Answer, 401: Answer, 500: Answer },
}

/**
 * Passes a GraphQL request on to Hasura, and its answer back as it is; a mutation with an idempotency key once.
 *
 * @throws validation_error, and what `errors` lists
 */
export const forwardGraphql: Operation<ForwardServices, unknown> = {
  tag: 'Data',
  summary:
    'GraphQL: read and change apps, actions and nullifiers; a list of requests has a list of answers',
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
    const authorization = ownAuthorization(request.headers, services.baseUrl)
    // From here on the portal's page is a caller like any other.
    if (authorization !== undefined) request.headers.authorization = authorization
    const signal = abortOnClose(response)
    try {
      const answer = await answerInTurn(services, { request, response, signal })
      if (isShort(answer) && meansUnavailable(answer.body)) throw new ApiError('unavailable')
      if (isRefusal(answer) && !isUnknownHash(answer))
        await services.graphqlShare.delayRefusal(request, signal)
      services.graphqlShare.countAnswer(request, response, answer.body.length)
      sendAnswer(request, response, answer)
    } catch (error) {
      // Those who are told to come back later wait at the end of every request.
      if (!isToldToComeBack(error)) await services.graphqlShare.delayRefusal(request, signal)
      throw error
    }
  },
}

/** The query string of a GET, for the description. */
const UrlParameters = z.object({
  query: z.string().optional().describe('The document; may be left out if its hash is known'),
  operationName: z.string().optional(),
  variables: z.string().optional().describe('As JSON'),
  extensions: z.string().optional().describe('As JSON, such as the hash of a persisted query'),
})

/**
 * The same for a request in the query string, which must be a query.
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

/** `signal` is aborted when the caller has gone, or has waited for too long. */
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
  // What has a key goes on without its caller, who may be told by a repetition what it came to.
  const answer = await resultInTime(hasura.timeoutMs, work)
  if (!answer) throw new ApiError('unavailable', { cause: new Error('no answer in time') })
  return answer
}

async function answerJudged(services: ForwardServices, exchange: Exchange): Promise<HasuraAnswer> {
  const { request } = exchange
  const caller = services.callers.nameOf(request.headers.authorization)
  const compute = <T>(work: () => T) => services.loop.run(caller, work)
  const asked = await compute(() => readAsked(services, request))
  if ('refusal' in asked) return refuseUnasked(services, exchange, asked.refusal)
  const judged = await judgeBody(asked.json, compute)
  if ('refusal' in judged) return refuseUnasked(services, exchange, judged.refusal)
  requirePostToChange(exchange, judged)
  const answer = await carryOut(services, exchange, judged)
  if (credentialOutcome(answer) === 'wrong') return explainRefusal(services, exchange, answer)
  asked.remember()
  return answer
}

/** The answer to a request that Hasura is not asked. */
function refuseUnasked(
  { graphqlShare }: ForwardServices,
  { request }: Exchange,
  refused: object,
): HasuraAnswer {
  graphqlShare.settleCredentials(request, 'unknown')
  return jsonAnswer(Buffer.from(JSON.stringify(refused)))
}

/** What a request asks for, with the document that it may name by its hash. */
function readAsked({ persistedQueries: known }: ForwardServices, request: Request): Resolved {
  const read = readGraphql(request)
  if ('refusal' in read) return read
  const { authorization = '' } = request.headers
  // The credentials are not checked yet, so documents are of those who send the same ones.
  return resolvePersisted(read.json, { caller: hashToken(authorization), known })
}

/** @throws method_not_allowed, since whatever follows links must change nothing */
function requirePostToChange({ request, response }: Exchange, { isMutation }: GoodBody) {
  if (request.method === 'POST' || !isMutation) return
  response.setHeader('allow', 'POST')
  throw new ApiError('method_not_allowed', { detail: 'Send a mutation with POST.' })
}

async function carryOut(
  services: ForwardServices,
  exchange: Exchange,
  body: GoodBody,
): Promise<HasuraAnswer> {
  const repeatable = readRepeatable(exchange.request, () => body.text)
  const isOnce = repeatable && body.isMutation
  const mutation = isOnce ? await mutationOf(services, { exchange, repeatable }) : null
  if (mutation) return carryOutOnce(services, { exchange, mutation, body })
  const { signal } = exchange
  // When the caller has gone, the engine cancels the statement.
  const signals = [signal, AbortSignal.timeout(services.hasura.timeoutMs)]
  return passOn(body, services, { ...exchange, signal: AbortSignal.any(signals) })
}

/** Hasura says only that it refuses: here is why, with its status and code. */
async function explainRefusal(
  { explainCredentials }: ForwardServices,
  { request, response }: Exchange,
  answer: HasuraAnswer,
): Promise<HasuraAnswer> {
  const { requestId, log } = requestContext.get(response)
  const { authorization } = request.headers
  try {
    const message = await explainCredentials(authorization, { 'x-request-id': requestId })
    const refused = refusal('access-denied', { path: '$', message })
    return { ...answer, body: Buffer.from(JSON.stringify(refused)) }
  } catch (err) {
    // The refusal itself is right, whatever became of the question why.
    log.warn({ err }, 'a refusal is not explained')
    return answer
  }
}

function passOn(
  { text, isMutation }: GoodBody,
  { hasura: { endpoint }, standby }: ForwardServices,
  { request, response, signal }: Exchange,
): Promise<HasuraAnswer> {
  const { requestId } = requestContext.get(response)
  const call = { authorization: request.headers.authorization, requestId, signal }
  const askPrimary = () => callHasura(text, { ...call, endpoint })
  return standby && !isMutation ? standby.answer(text, call, askPrimary) : askPrimary()
}

/** Null for wrong credentials: keys are those of a team or user. */
async function mutationOf(
  { findCaller }: ForwardServices,
  { exchange, repeatable }: { exchange: Exchange; repeatable: Repeatable },
): Promise<Mutation | null> {
  const { requestId, log } = requestContext.get(exchange.response)
  const { authorization } = exchange.request.headers
  const caller = await findCaller(authorization, { 'x-request-id': requestId })
  return caller === null ? null : { caller, repeatable, requestId, log }
}

async function carryOutOnce(
  services: ForwardServices,
  { exchange, mutation, body }: { exchange: Exchange; mutation: Mutation; body: GoodBody },
): Promise<HasuraAnswer> {
  const signal = AbortSignal.timeout(LONGEST_CALL_MS)
  const once = () => passOn(body, services, { ...exchange, signal })
  const outcome = await answerOnce(services, mutation, once)
  return 'own' in outcome ? outcome.own : { ...jsonAnswer(outcome.earlier), isReplay: true }
}

function sendAnswer(request: Request, response: Response, answer: HasuraAnswer) {
  const { status, headers, body, isReplay } = answer
  if (isReplay) markReplayed(response)
  if (status === 401) response.setHeader('www-authenticate', BEARER_CHALLENGE)
  const retryAfter = headers.get('retry-after')
  if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
  const shown = asGraphqlResponse(request, answer) ?? {
    status,
    type: headers.get('content-type') ?? 'application/json',
  }
  response.vary('accept').status(shown.status).type(shown.type).send(body)
}
