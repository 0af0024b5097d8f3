import { type ApiError, toApiError } from '../../lib/errors.ts'
import { restErrorBody } from '../../lib/http/error-body.ts'
import { handleErrors, translateExpressError } from '../../lib/http/error-handler.ts'
import { requestValue } from '../../lib/http/request-value.ts'
import { BEARER_CHALLENGE } from '../credentials/bearer.ts'
import { type Page, renderPage } from '../pages/send-page.ts'

/** How an error is shown to a person, on routes that people visit. */
export const errorPage = requestValue<(error: ApiError) => Page>('the page of an error')

/** Whether Hasura calls the route: it gets failures in a form of its own (spec 7). */
export const isForHasura = requestValue<boolean>('whether Hasura calls')

/** Answers every request that ends with an error. */
export const showErrors = handleErrors({
  translate: (thrown) => translateExpressError(thrown) ?? toApiError(thrown),
  view(error, request, response) {
    const makePage = errorPage.find(response)
    const challenge = error.status === 401 ? BEARER_CHALLENGE : null
    if (makePage && request.accepts('html'))
      return { page: renderPage(makePage(error)), body: restErrorBody, challenge }
    if (isForHasura.find(response) && error.status >= 500)
      return { status: 500, body: hasuraFailure, challenge }
    return { body: restErrorBody, challenge }
  },
})

function hasuraFailure(_error: ApiError, detail: string) {
  return { success: false, error: detail }
}
