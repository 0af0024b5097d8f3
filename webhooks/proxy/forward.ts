import express, { type Request, type Response } from 'express'
import { z } from 'zod'
import { resultInTime } from '../../lib/calls/result-in-time.ts'
import { ApiError } from '../../lib/errors.ts'
import { BodyTooLong, readBytes } from '../../lib/http/read-bytes.ts'
import { requestContext } from '../../lib/http/request-context.ts'
import { leaverOf } from '../../lib/limits/leaver.ts'
import { BEARER_CHALLENGE } from '../credentials/bearer.ts'
import {
  IDEMPOTENCY_KEY,
  markReplayed,
  type Repeatable,
  readRepeatable,
} from '../route/idempotency-key.ts'
import type { Operation } from '../route/operation.ts'
import { bodyBytes, MAX_GRAPHQL_BYTES, requireJson } from '../route/read-input.ts'
import { answerOnce, LONGEST_CALL_MS, type Mutation, type OnceServices } from './answer-once.ts'
import type { GraphqlShare } from './graphql-share.ts'
import { hasMutation } from './has-mutation.ts'
import { judgeBody, refusal } from './judge-request.ts'
import { meansUnavailable } from './means-unavailable.ts'

/** The only headers passed on: neither `x-hasura-*` nor the admin secret gets in from outside. */
const FORWARDED = ['authorization', 'content-type'] as const

export type ForwardServices = OnceServices & {
  hasura: { endpoint: string; timeoutMs: number }
  graphqlShare: GraphqlShare
  /** The id of the team or user whose credentials these are; null for wrong ones. */
  findCaller(
    authorization: string | undefined,
    headers: Record<string, string>,
  ): Promise<string | null>
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
  takesCredentials: true,
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
    requireJson(request)
    const callerGone = new AbortController()
    response.once('close', () => callerGone.abort())
    const { signal } = callerGone
    try {
      const answer = await answerInTurn(services, { request, response, signal })
      if (isShort(answer) && meansUnavailable(answer.body)) throw new ApiError('unavailable')
      if (isRefusal(answer)) await services.graphqlShare.delayRefusal(request, signal)
      services.graphqlShare.countAnswer(request, response, answer.body.length)
      sendAnswer(response, answer)
    } catch (error) {
      await services.graphqlShare.delayRefusal(request, signal)
      throw error
    }
  },
}

/** `signal` is aborted when the caller has gone, or has waited for too long. */
type Exchange = { request: Request; response: Response; signal: AbortSignal }

type HasuraAnswer = {
  status: number
  headers: Headers
  body: Buffer
  /** Whether it was given before. */
  isReplay?: boolean
}

async function answerInTurn(services: ForwardServices, exchange: Exchange): Promise<HasuraAnswer> {
  const { graphqlShare, hasura } = services
  const leave = await graphqlShare.enter(exchange, leaverOf(exchange.signal))
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
  const judged = judgeBody(bodyBytes(exchange.request))
  if ('refusal' in judged) {
    services.graphqlShare.settleCredentials(exchange.request, 'unknown')
    return jsonAnswer(Buffer.from(JSON.stringify(judged.refusal)))
  }
  const repeatable = readRepeatable(exchange.request, () => judged.body)
  const isOnce = repeatable && hasMutation(judged.body)
  const mutation = isOnce ? await mutationOf(services, { exchange, repeatable }) : null
  if (mutation) return carryOutOnce(services, { exchange, mutation, body: judged.body })
  const { signal } = exchange
  // When the caller has gone, the engine cancels the statement.
  const signals = [signal, AbortSignal.timeout(services.hasura.timeoutMs)]
  return passOn(judged.body, services, { ...exchange, signal: AbortSignal.any(signals) })
}

function jsonAnswer(body: Buffer): HasuraAnswer {
  return { status: 200, headers: new Headers(), body }
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
  { exchange, mutation, body }: { exchange: Exchange; mutation: Mutation; body: string },
): Promise<HasuraAnswer> {
  const signal = AbortSignal.timeout(LONGEST_CALL_MS)
  const carryOut = () => passOn(body, services, { ...exchange, signal })
  const outcome = await answerOnce(services, mutation, carryOut)
  return 'own' in outcome ? outcome.own : { ...jsonAnswer(outcome.earlier), isReplay: true }
}

async function passOn(
  body: string,
  { hasura: { endpoint } }: ForwardServices,
  { request, response, signal }: Exchange,
): Promise<HasuraAnswer> {
  const headers = new Headers({
    'x-request-id': requestContext.get(response).requestId,
    // The answer leaves here uncompressed, so decompressing it would only cost time.
    'accept-encoding': 'identity',
  })
  for (const name of FORWARDED) {
    const value = request.headers[name]
    if (value) headers.set(name, value)
  }
  return callHasura(`${endpoint}/v1/graphql`, {
    method: 'POST',
    headers,
    body,
    signal,
  })
}

/** Never sent twice: the request may have changed something. */
async function callHasura(url: string, init: RequestInit): Promise<HasuraAnswer> {
  try {
    const answer = await fetch(url, init)
    const { status, headers } = answer
    return { status, headers, body: await readBytes(answer, MAX_ANSWER_BYTES) }
  } catch (cause) {
    if (cause instanceof BodyTooLong) return jsonAnswer(ANSWER_TOO_LARGE)
    throw new ApiError('unavailable', { cause })
  }
}

/** More than the embedded engine answers; Hasura itself has no bound. */
const MAX_ANSWER_BYTES = 32_000_000

const ANSWER_TOO_LARGE = Buffer.from(
  JSON.stringify(
    refusal('query-too-costly', { path: '$', message: 'the answer is too large, ask for less' }),
  ),
)

/** Whether an answer has only errors: such are short. */
function isRefusal({ status, body }: HasuraAnswer): boolean {
  return status !== 200 || (isShort({ body }) && body.indexOf('{"errors"') === 0)
}

function isShort({ body }: Pick<HasuraAnswer, 'body'>): boolean {
  return body.length < MAX_REFUSAL_BYTES
}

const MAX_REFUSAL_BYTES = 4_000

/** What an answer says of the credentials; null when it says nothing, such as when the auth hook was away. */
function credentialOutcome(answer: HasuraAnswer): 'right' | 'wrong' | null {
  if (!isRefusal(answer)) return 'right'
  return answer.status === 401 || answer.body.includes('"access-denied"') ? 'wrong' : null
}

function sendAnswer(response: Response, { status, headers, body, isReplay }: HasuraAnswer) {
  if (isReplay) markReplayed(response)
  if (status === 401) response.setHeader('www-authenticate', BEARER_CHALLENGE)
  const retryAfter = headers.get('retry-after')
  if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
  response
    .status(status)
    .type(headers.get('content-type') ?? 'application/json')
    .send(body)
}
