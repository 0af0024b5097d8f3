import type { ErrorRequestHandler } from 'express'
import { type ApiError, toApiError } from '../../lib/errors.ts'
import { bodyError } from '../../lib/http/edge.ts'
import { asRest } from '../../lib/http/reply.ts'
import { requestContext } from '../../lib/http/request-context.ts'
import { requestValue } from '../../lib/http/request-value.ts'
import { CHALLENGE } from '../credentials/bearer.ts'
import { type Page, sendPage } from '../pages/send-page.ts'

/** How an error is shown to a person, on routes that people visit. */
export const errorPage = requestValue<(error: ApiError) => Page>('the page of an error')

/** Whether Hasura calls the route: it gets failures in a form of its own (spec 7). */
export const isForHasura = requestValue<boolean>('whether Hasura calls')

/** Renders whatever was thrown; only failures of ours (5xx) are logged, with their cause. */
export const renderError: ErrorRequestHandler = (thrown, request, response, next) => {
  const error = bodyError(thrown) ?? toApiError(thrown)
  const context = requestContext.get(response)
  context.errorCode = error.code
  if (error.status >= 500) context.log.error({ code: error.code, err: error.cause }, 'failed')
  if (response.headersSent) return next(error)
  // The handler may have allowed caching of the answer that it meant to send.
  response.setHeader('cache-control', 'no-store')
  if (error.status === 401) response.setHeader('www-authenticate', CHALLENGE)
  if (error.status === 503) response.setHeader('retry-after', '1')
  const makePage = errorPage.find(response)
  if (makePage && request.accepts('html')) return sendPage(response, makePage(error))
  const body = asRest(error)
  const detail =
    error.status === 500 ? `${body.detail} Request id: ${context.requestId}` : body.detail
  if (isForHasura.find(response) && error.status >= 500)
    return void response.status(500).json({ success: false, error: detail })
  response.status(error.status).json({ ...body, detail })
}
