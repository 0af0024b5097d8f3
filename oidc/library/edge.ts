import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { errors } from 'oidc-provider'
import { ApiError, toApiError } from '../../lib/errors.ts'
import { bodyError } from '../../lib/http/edge.ts'
import { requestContext } from '../../lib/http/request-context.ts'
import { asBoth } from '../errors/reply.ts'
import { isUnavailable } from '../errors/unavailable.ts'
import { renderPage } from '../page/error-page.ts'

/**
 * Makes every request look as if it were sent to the issuer's host, whatever the caller's headers and
 * request line say: from the host and scheme the library derives addresses and whether cookies are
 * secure.
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

/** Paths that a person's browser visits: errors there are pages to read. */
const FOR_PEOPLE = /^\/(authorize|login)(\/|$|\?)/

/** Renders whatever was thrown, and logs it with its cause if it is our fault (5xx). */
export const renderError: ErrorRequestHandler = (thrown, request, response, next) => {
  const error = translate(thrown)
  const context = requestContext.get(response)
  context.errorCode = error.code
  if (error.status >= 500) context.log.error({ code: error.code, err: error.cause }, 'failed')
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
  const suffix = error.status === 500 ? ` Request id: ${context.requestId}` : ''
  response.json({ ...body, detail: `${body.detail}${suffix}` })
}

/**
 * Whether the answer needs a challenge: only when the client sent the header (RFC 6749 5.2). To others
 * it would hide the body, which strict libraries ignore after a challenge.
 */
function isChallenged({ code }: ApiError, { headers }: Request, response: Response): boolean {
  const hasTried = code === 'unauthenticated' && headers.authorization !== undefined
  return hasTried && !response.hasHeader('www-authenticate')
}

function translate(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof errors.SessionNotFound) return new ApiError('sign_in_expired')
  // Before `isUnavailable`, for which a caller who breaks off while sending would look like a lost database.
  const ofBody = bodyError(thrown)
  if (ofBody) return ofBody.code === 'invalid_content_type' ? unknownEncoding() : ofBody
  if (isUnavailable(thrown)) return new ApiError('unavailable', { cause: thrown })
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
