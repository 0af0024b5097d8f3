import type { RequestHandler } from 'express'

/** Lets pages of any origin read the answer, but only to requests that were sent without cookies. */
export const allowAnyOrigin: RequestHandler = (_request, response, next) => {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-expose-headers', EXPOSED)
  next()
}

/** The headers that explain an answer. A few others, such as `Content-Type`, can always be read. */
const EXPOSED =
  'www-authenticate, x-request-id, retry-after, ratelimit, ratelimit-policy, idempotent-replayed'

/**
 * Any request header: pages add those of their tracing (`traceparent`, `sentry-trace`) to each request. `*` stands for all
 * but `authorization`; the others are for browsers that do not know `*`.
 */
const ALLOWED = 'authorization, content-type, idempotency-key, user-agent, x-request-id, *'

/** Answers the preflight request that a browser sends before such a request. */
export function answerPreflight(methods: readonly string[]): RequestHandler {
  return (_request, response) => {
    response.setHeader('access-control-allow-methods', methods.join(', '))
    response.setHeader('access-control-allow-headers', ALLOWED)
    response.setHeader('access-control-max-age', '86400')
    response.status(204).end()
  }
}
