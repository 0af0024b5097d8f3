import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { errors } from 'oidc-provider'
import { bodyError } from '../lib/edge.ts'
import { ApiError, toApiError } from '../lib/errors.ts'
import { isAway } from './away.ts'
import { renderPage } from './page/error-page.ts'
import { asBoth } from './reply.ts'

/**
 * Makes every request look as if it had come to the issuer itself, whatever host the caller named in
 * headers or in the request line: the library derives addresses, and whether cookies are secure, from it.
 */
export function asIssuer(issuer: string): RequestHandler {
  const { host, protocol } = new URL(issuer)
  return (request, _response, next) => {
    request.headers.host = host
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete request.headers['x-forwarded-host']
    // An absolute request line: `GET https://elsewhere/token`.
    request.url = request.originalUrl = request.url.replace(/^[a-z]+:\/\/[^/?]*/i, '') || '/'
    next()
  }
}

/** Paths at which a person's browser asks: they get a page to read. */
const FOR_PEOPLE = /^\/(authorize|login)(\/|$|\?)/

/** Renders whatever was thrown; only what we did not expect is logged with its cause. */
export const renderError: ErrorRequestHandler = (thrown, request, response, next) => {
  const error = translate(thrown)
  const { requestId, log } = response.locals.context
  response.locals.code = error.code
  if (error.status >= 500) log.error({ code: error.code, err: error.cause }, 'failed')
  if (response.headersSent) return next(error)
  if (error.status === 503) response.setHeader('retry-after', '1')
  if (isChallenged(error, request, response))
    response.setHeader('www-authenticate', 'Basic realm="sign-in"')
  response.status(error.status).setHeader('cache-control', 'no-store')
  const forPeople = FOR_PEOPLE.test(request.originalUrl)
  if (forPeople && request.method === 'GET' && request.accepts(['json', 'html']) === 'html') {
    const { html, headers } = renderPage({
      title: 'This sign-in cannot go on',
      text: error.message,
    })
    response.set(headers).type('html').send(html)
    return
  }
  const body = asBoth(error)
  const suffix = error.status === 500 ? ` Request id: ${requestId}` : ''
  response.json({ ...body, detail: `${body.detail}${suffix}` })
}

/**
 * Whoever tried with a header is told which one it takes (RFC 6749 5.2). To others a challenge would
 * hide the body: strict libraries look no further.
 */
function isChallenged({ code }: ApiError, { headers }: Request, response: Response): boolean {
  const hasTried = code === 'unauthenticated' && headers.authorization !== undefined
  return hasTried && !response.hasHeader('www-authenticate')
}

function translate(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof errors.SessionNotFound) return new ApiError('sign_in_expired')
  // First: a caller who goes away while a body is read looks like a connection of ours that broke.
  const ofBody = bodyError(thrown)
  if (ofBody) return ofBody.code === 'invalid_content_type' ? unknownEncoding() : ofBody
  if (isAway(thrown)) return new ApiError('unavailable', { cause: thrown })
  if (thrown instanceof errors.OIDCProviderError && thrown.status === 503)
    return new ApiError('unavailable', { cause: thrown.cause })
  return toApiError(thrown)
}

function unknownEncoding(): ApiError {
  return new ApiError('invalid_content_type', {
    status: 400,
    attribute: 'content-encoding',
    detail: 'The charset or the encoding of the body is not one of those that are known.',
  })
}
