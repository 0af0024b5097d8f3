import express, { type Request, type Response } from 'express'
import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import { requestContext } from '../../lib/http/request-context.ts'
import { BEARER_CHALLENGE } from '../credentials/bearer.ts'
import type { Operation } from '../route/operation.ts'
import { bodyBytes, MAX_GRAPHQL_BYTES, requireJson } from '../route/read-input.ts'

/** The only headers passed on: neither `x-hasura-*` nor the admin secret gets in from outside. */
const FORWARDED = ['authorization', 'content-type'] as const

export type ForwardServices = { hasura: { endpoint: string; timeoutMs: number } }

const readBody = express.raw({ type: () => true, limit: MAX_GRAPHQL_BYTES })

/** A request of GraphQL over HTTP; Hasura parses it. */
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
  errors: ['invalid_request', 'payload_too_large', 'invalid_content_type', 'unavailable'],
  before: () => readBody,
  handle:
    ({ hasura }) =>
    (_input, request, response) => {
      requireJson(request)
      return passOn(request, response, hasura)
    },
}

async function passOn(
  request: Request,
  response: Response,
  { endpoint, timeoutMs }: ForwardServices['hasura'],
) {
  const callerGone = new AbortController()
  response.once('close', () => callerGone.abort())
  const headers = new Headers({
    'x-request-id': requestContext.get(response).requestId,
    // The answer leaves here uncompressed, so decompressing it would only cost time.
    'accept-encoding': 'identity',
  })
  for (const name of FORWARDED) {
    const value = request.headers[name]
    if (value) headers.set(name, value)
  }
  const { answer, body } = await callHasura(`${endpoint}/v1/graphql`, {
    method: 'POST',
    headers,
    body: bodyBytes(request),
    // When the caller has gone, the engine cancels the statement.
    signal: AbortSignal.any([callerGone.signal, AbortSignal.timeout(timeoutMs)]),
  })
  if (answer.status === 401) response.setHeader('www-authenticate', BEARER_CHALLENGE)
  response
    .status(answer.status)
    .type(answer.headers.get('content-type') ?? 'application/json')
    .send(body)
}

/** Never sent twice: the request may have changed something. */
async function callHasura(url: string, init: RequestInit) {
  try {
    const answer = await fetch(url, init)
    return { answer, body: Buffer.from(await answer.arrayBuffer()) }
  } catch (cause) {
    throw new ApiError('unavailable', { cause })
  }
}
