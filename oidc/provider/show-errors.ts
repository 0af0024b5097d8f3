import type { Request, Response } from 'express'
import { errors } from 'oidc-provider'
import { ApiError, toApiError } from '../../lib/runtime/errors.ts'
import type { RenderedPage } from '../../lib/runtime/http/error-answer.ts'
import { handleErrors, translateExpressError } from '../../lib/runtime/http/error-handler.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { routePath } from '../../lib/runtime/http/route-path.ts'
import { unknownEncoding } from '../errors/content-type.ts'
import { bearerErrorBody, signInErrorBody } from '../errors/error-body.ts'
import { isUnavailable } from '../errors/unavailable.ts'
import { renderErrorPage } from '../page/error-page.ts'
import { chooseLanguage, type Language } from '../page/texts.ts'

/** Paths that a person's browser visits: errors there are pages to read. */
const FOR_PEOPLE = /^\/(authorize|login)(\/|$|\?)/

/** Answers every request that ends with an error, unless the library has answered it. */
export const showErrors = handleErrors({
  translate: translateThrown,
  view: (error, request, response) => ({
    page: isForPeople(request) ? errorPageFor(error, request, response) : null,
    body: hasBearerChallenge(response) ? bearerErrorBody : signInErrorBody,
    challenge: isChallenged(error, request, response) ? 'Basic realm="sign-in"' : null,
  }),
})

/** A person who follows a wrong link comes to a path that does not exist, and prefers HTML, as no program does. */
function isForPeople(request: Request): boolean {
  const isPath = FOR_PEOPLE.test(request.originalUrl) || routePath(request) === null
  return isPath && request.accepts(['json', 'html']) === 'html'
}

function errorPageFor(error: ApiError, request: Request, response: Response): RenderedPage {
  const { requestId } = requestContext.get(response)
  return renderErrorPage(error, { language: languageOf(request), requestId })
}

function languageOf(request: Request): Language {
  return chooseLanguage(request.query.ui_locales, request)
}

/**
 * Whether the answer needs a challenge: only when the client sent the header (RFC 6749 5.2). To others
 * it would hide the body, which strict libraries ignore after a challenge.
 */
function isChallenged({ code }: ApiError, { headers }: Request, response: Response): boolean {
  const hasTried = code === 'unauthenticated' && headers.authorization !== undefined
  return hasTried && !response.hasHeader('www-authenticate')
}

/** Whether the endpoint has asked for a token (endpoints/bearer.ts). */
function hasBearerChallenge(response: Response): boolean {
  return String(response.getHeader('www-authenticate')).startsWith('Bearer')
}

function translateThrown(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof errors.SessionNotFound) return new ApiError('sign_in_expired')
  // Before `isUnavailable`, for which a caller who breaks off while sending would look like a lost database.
  const ofExpress = translateExpressError(thrown)
  if (ofExpress) return ofExpress.code === 'invalid_content_type' ? unknownEncoding() : ofExpress
  if (isUnavailable(thrown)) return new ApiError('unavailable', { cause: thrown })
  if (thrown instanceof errors.OIDCProviderError && thrown.status === 503)
    return new ApiError('unavailable', { cause: thrown.cause })
  return toApiError(thrown)
}
