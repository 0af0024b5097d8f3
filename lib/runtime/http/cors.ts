import type { RequestHandler } from 'express'

/** Lets pages of any origin read the response to a request without cookies. */
export const allowAnyOrigin: RequestHandler = (_request, response, next) => {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-expose-headers', EXPOSED)
  next()
}

/** The response headers that pages may read. Browsers always allow a few more, like `Content-Type`. */
const EXPOSED =
  'www-authenticate, x-request-id, retry-after, ratelimit, ratelimit-policy, idempotent-replayed'

/**
 * The request headers that pages may send: any, because tracing libraries add headers to a page's requests
 * (`traceparent`, `sentry-trace`). `*` does not include `authorization`. The other names are for browsers that do not
 * support `*`.
 */
const ALLOWED = 'authorization, content-type, idempotency-key, user-agent, x-request-id, *'

/** Answers a browser's preflight request. */
export function answerPreflight(methods: readonly string[]): RequestHandler {
  return (_request, response) => {
    response.setHeader('access-control-allow-methods', methods.join(', '))
    response.setHeader('access-control-allow-headers', ALLOWED)
    response.setHeader('access-control-max-age', '86400')
    response.status(204).end()
  }
}
