import type { Request, RequestHandler, Response } from 'express'
import { errors } from 'oidc-provider'
import { ApiError, toApiError } from '../../lib/runtime/errors.ts'
import { handleErrors, translateExpressError } from '../../lib/runtime/http/error-handler.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { type ErrorPage, errorPage } from '../../lib/runtime/web/error-page.ts'
import { UNKNOWN_ENCODING, unreadableBody } from '../errors/content-type.ts'
import { bearerErrorBody, signInErrorBody } from '../errors/error-body.ts'
import { isUnavailable } from '../errors/unavailable.ts'
import { renderErrorPage } from '../page/error-page.ts'
import { chooseLanguage, type Language } from '../page/texts.ts'

/** Renders an error for a person, in the language of the sign-in or of the browser. */
export const showErrorPage: ErrorPage = (error, request, response) => {
  const { requestId } = requestContext.get(response)
  return renderErrorPage(error, { language: languageOf(request), requestId })
}

/** Lets the following routes send errors as HTML pages to callers that prefer HTML. Other callers get JSON. */
export const showErrorsOnPages: RequestHandler = (_request, response, next) => {
  errorPage.set(response, showErrorPage)
  next()
}

/** Responds to every request that fails, unless oidc-provider has already responded. */
export const showErrors = handleErrors({
  translate: translateThrown,
  view(error, request, response) {
    const makePage = errorPage.find(response)
    const isForPerson = makePage && request.accepts(['json', 'html']) === 'html'
    return {
      page: isForPerson ? makePage(error, request, response) : null,
      body: hasBearerChallenge(response) ? bearerErrorBody : signInErrorBody,
      challenge: isChallenged(error, request, response) ? 'Basic realm="sign-in"' : null,
    }
  },
})

function languageOf(request: Request): Language {
  return chooseLanguage(request.query.ui_locales, request)
}

/**
 * True if the response needs a challenge: only when the client sent `Authorization` (RFC 6749 5.2). Strict libraries
 * ignore the body of a response with a challenge.
 */
function isChallenged({ code }: ApiError, { headers }: Request, response: Response): boolean {
  const hasTried = code === 'unauthenticated' && headers.authorization !== undefined
  return hasTried && !response.hasHeader('www-authenticate')
}

/** True if the endpoint requires a Bearer token (endpoints/bearer.ts). */
function hasBearerChallenge(response: Response): boolean {
  return String(response.getHeader('www-authenticate')).startsWith('Bearer')
}

function translateThrown(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof errors.SessionNotFound) return new ApiError('sign_in_expired')
  // Must come before `isUnavailable`. If a caller disconnects while it sends, `isUnavailable` would blame the database.
  const expressError = translateExpressError(thrown)
  if (expressError)
    return expressError.code === 'invalid_content_type'
      ? unreadableBody(UNKNOWN_ENCODING)
      : expressError
  if (isUnavailable(thrown)) return new ApiError('unavailable', { cause: thrown })
  if (thrown instanceof errors.OIDCProviderError && thrown.status === 503)
    return new ApiError('unavailable', { cause: thrown.cause })
  return toApiError(thrown)
}
