import express, { type RequestHandler } from 'express'
import { ApiError } from '../lib/errors.ts'

/** Bytes of a GraphQL request, at most: inserts of many rows are long. */
const BODY_LIMIT = 1_000_000

/** The only headers that pass: neither `x-hasura-*` nor the admin secret comes in from outside. */
const FORWARDED = ['authorization', 'content-type'] as const

/** Passes a GraphQL request on to Hasura, and its answer back as it is. */
export function forward({ endpoint, timeoutMs }: { endpoint: string; timeoutMs: number }) {
  const send: RequestHandler = async (request, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const headers = new Headers({
      'x-request-id': response.locals.context.requestId,
      // Decompressing here what is sent on uncompressed would only cost time.
      'accept-encoding': 'identity',
    })
    for (const name of FORWARDED) {
      const value = request.headers[name]
      if (value) headers.set(name, value)
    }
    const answer = await call(`${endpoint}/v1/graphql`, {
      method: 'POST',
      headers,
      body: request.body,
      // A caller who has gone needs no answer: the engine then cancels the statement.
      signal: AbortSignal.any([gone.signal, AbortSignal.timeout(timeoutMs)]),
    })
    response
      .status(answer.status)
      .type(answer.headers.get('content-type') ?? 'application/json')
      .send(Buffer.from(await answer.arrayBuffer()))
  }
  return [express.raw({ type: () => true, limit: BODY_LIMIT }), send]
}

/** A request that may have changed something is never sent twice. */
async function call(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    throw new ApiError('unavailable', { cause })
  }
}
