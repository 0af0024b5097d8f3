import type { RequestHandler, Response } from 'express'
import { type ApiError, toApiError } from '../../lib/runtime/errors.ts'
import { restErrorBody } from '../../lib/runtime/http/error-body.ts'
import { handleErrors, translateExpressError } from '../../lib/runtime/http/error-handler.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { requestValue } from '../../lib/runtime/http/request-value.ts'
import { type ErrorPage, errorPage } from '../../lib/runtime/web/error-page.ts'
import { BEARER_CHALLENGE } from '../credentials/bearer.ts'
import { type Page, renderPage } from '../pages/send-page.ts'
import { START_AGAIN } from '../pages/ways-on.ts'

/** Whether Hasura calls the route: it gets failures in a form of its own (spec 7). */
export const isForHasura = requestValue<boolean>('whether Hasura calls')

/** Shows errors on a page in the style of our small pages, with the request's id where the failure is ours. */
export function smallErrorPage(makePage: (error: ApiError) => Page): ErrorPage {
  return (error, _request, response) => {
    const report = error.status >= 500 && { requestId: requestIdOf(response) }
    return renderPage({ ...makePage(error), ...report }, response)
  }
}

/**
 * From here on, who prefers HTML is shown errors as a page: what follows is no operation of the API, which answers
 * everybody as its description says.
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
    return { title: 'There is no such page', text: 'Is its address complete?', way: START_AGAIN }
  const text = 'Something went wrong on our side: try again shortly.'
  return { title: 'That did not work', text, way: START_AGAIN }
}

/** Answers every request that ends with an error. */
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
