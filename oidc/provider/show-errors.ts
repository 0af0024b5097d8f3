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

/** Shows an error to a person, in the language of the sign-in or of the browser. */
export const showErrorPage: ErrorPage = (error, request, response) => {
  const { requestId } = requestContext.get(response)
  return renderErrorPage(error, { language: languageOf(request), requestId })
}

/** From here on, a caller that prefers HTML gets errors as pages, as no program does. */
export const showErrorsOnPages: RequestHandler = (_request, response, next) => {
  errorPage.set(response, showErrorPage)
  next()
}

/** Answers every request that ends with an error, unless oidc-provider has answered it. */
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
  if (ofExpress)
    return ofExpress.code === 'invalid_content_type' ? unreadableBody(UNKNOWN_ENCODING) : ofExpress
  if (isUnavailable(thrown)) return new ApiError('unavailable', { cause: thrown })
  if (thrown instanceof errors.OIDCProviderError && thrown.status === 503)
    return new ApiError('unavailable', { cause: thrown.cause })
  return toApiError(thrown)
}
