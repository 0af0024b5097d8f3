import express, { type Request, type Response } from 'express'
import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import { requestContext } from '../../lib/http/request-context.ts'
import { leaverOf } from '../../lib/limits/leaver.ts'
import { BEARER_CHALLENGE } from '../credentials/bearer.ts'
import type { Operation } from '../route/operation.ts'
import { bodyBytes, MAX_GRAPHQL_BYTES, requireJson } from '../route/read-input.ts'
import type { GraphqlShare } from './graphql-share.ts'
import { judgeBody } from './judge-request.ts'

/** The only headers passed on: neither `x-hasura-*` nor the admin secret gets in from outside. */
const FORWARDED = ['authorization', 'content-type'] as const

export type ForwardServices = {
  hasura: { endpoint: string; timeoutMs: number }
  graphqlShare: GraphqlShare
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

/** Passes a GraphQL request on to Hasura, and its answer back as it is. */
export const forwardGraphql: Operation<ForwardServices, unknown> = {
  tag: 'Data',
  summary:
    'GraphQL: read and change apps, actions and nullifiers; a list of requests has a list of answers',
  answers: { 200: z.union([Answer, z.array(Answer)]), 401: Answer },
  takesCredentials: true,
  passesOn: Body,
  errors: [
    'invalid_request',
    'payload_too_large',
    'invalid_content_type',
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
      if (isRefusal(answer)) await services.graphqlShare.delayRefusal(request, signal)
      sendAnswer(response, answer)
    } catch (error) {
      await services.graphqlShare.delayRefusal(request, signal)
      throw error
    }
  },
}

/** `signal` is aborted when the caller has gone. */
type Exchange = { request: Request; response: Response; signal: AbortSignal }

type HasuraAnswer = { status: number; headers: Headers; body: Buffer }

async function answerInTurn(
  { hasura, graphqlShare }: ForwardServices,
  exchange: Exchange,
): Promise<HasuraAnswer> {
  const leave = await graphqlShare.enter(exchange.request, leaverOf(exchange.signal))
  try {
    const judged = judgeBody(bodyBytes(exchange.request))
    if ('body' in judged) return await passOn(judged.body, hasura, exchange)
    return {
      status: 200,
      headers: new Headers(),
      body: Buffer.from(JSON.stringify(judged.refusal)),
    }
  } finally {
    leave()
  }
}

async function passOn(
  body: string,
  { endpoint, timeoutMs }: ForwardServices['hasura'],
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
    // When the caller has gone, the engine cancels the statement.
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
}

/** Never sent twice: the request may have changed something. */
async function callHasura(url: string, init: RequestInit): Promise<HasuraAnswer> {
  try {
    return await readAnswer(await fetch(url, init))
  } catch (cause) {
    throw new ApiError('unavailable', { cause })
  }
}

async function readAnswer(answer: globalThis.Response): Promise<HasuraAnswer> {
  const { status, headers } = answer
  return { status, headers, body: Buffer.from(await answer.arrayBuffer()) }
}

/** Whether an answer has only errors: such are short. */
function isRefusal({ status, body }: HasuraAnswer): boolean {
  return status !== 200 || (body.length < MAX_REFUSAL_BYTES && body.indexOf('{"errors"') === 0)
}

const MAX_REFUSAL_BYTES = 4_000

function sendAnswer(response: Response, { status, headers, body }: HasuraAnswer) {
  if (status === 401) response.setHeader('www-authenticate', BEARER_CHALLENGE)
  const retryAfter = headers.get('retry-after')
  if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
  response
    .status(status)
    .type(headers.get('content-type') ?? 'application/json')
    .send(body)
}
