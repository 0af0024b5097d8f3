import type { RequestHandler, Response } from 'express'
import { type ApiError, toApiError } from '../../lib/runtime/errors.ts'
import { restErrorBody } from '../../lib/runtime/http/error-body.ts'
import { handleErrors, translateExpressError } from '../../lib/runtime/http/error-handler.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { createRequestValue } from '../../lib/runtime/http/request-value.ts'
import { type ErrorPage, errorPage } from '../../lib/runtime/web/error-page.ts'
import { BEARER_CHALLENGE } from '../credentials/bearer.ts'
import { START_AGAIN } from '../pages/portal-links.ts'
import { type Page, renderPage } from '../pages/send-page.ts'

/** True if Hasura calls the route. Hasura gets failures in another form (spec 7). */
export const isForHasura = createRequestValue<boolean>('whether Hasura calls the route')

/** Creates an error page that looks like the small pages. For status 500 and above it shows the request id. */
export function smallErrorPage(makePage: (error: ApiError) => Page): ErrorPage {
  return (error, _request, response) => {
    const report = error.status >= 500 && { requestId: requestIdOf(response) }
    return renderPage({ ...makePage(error), ...report }, response)
  }
}

/**
 * Shows the errors of all later handlers as an HTML page to clients that prefer HTML. The later handlers serve pages. The
 * operations of the API come earlier, because their errors are JSON, as the OpenAPI document says.
 */
export const showPagesToReaders: RequestHandler = (request, response, next) => {
  if (request.accepts(['json', 'html']) === 'html')
    errorPage.set(response, (error) =>
      renderPage({ ...readerPage(error), requestId: requestIdOf(response) }, response),
    )
  next()
}

function readerPage({ status }: ApiError): Page {
  if (status === 404)
    return {
      title: 'This page does not exist',
      text: 'Check the address.',
      portalLink: START_AGAIN,
    }
  const text = 'Something went wrong on our side. Try again shortly.'
  return { title: 'That did not work', text, portalLink: START_AGAIN }
}

/** Sends the response to every request that ends with an error. */
export const showErrors = handleErrors({
  translate: (thrown) => translateExpressError(thrown) ?? toApiError(thrown),
  view(error, request, response) {
    const makePage = errorPage.find(response)
    const challenge = error.status === 401 ? BEARER_CHALLENGE : null
    if (makePage && request.accepts('html'))
      return { page: makePage(error, request, response), body: restErrorBody, challenge }
    if (isForHasura.find(response) && error.status >= 500)
      return { status: 500, body: hasuraFailure, challenge }
    return { body: restErrorBody, challenge }
  },
})

function requestIdOf(response: Response): string {
  return requestContext.get(response).requestId
}

function hasuraFailure(_error: ApiError, detail: string) {
  return { success: false, error: detail }
}
