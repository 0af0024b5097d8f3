import type { ErrorRequestHandler } from 'express'
import { toApiError } from '../../lib/errors.ts'
import { bodyError } from '../../lib/http/edge.ts'
import { asRest } from '../../lib/http/reply.ts'
import { CHALLENGE } from '../auth/bearer.ts'
import { sendPage } from './page.ts'

/** Renders whatever was thrown; only failures of ours (5xx) are logged, with their cause. */
export const renderError: ErrorRequestHandler = (thrown, request, response, next) => {
  const error = bodyError(thrown) ?? toApiError(thrown)
  const { requestId, log } = response.locals.context
  response.locals.code = error.code
  if (error.status >= 500) log.error({ code: error.code, err: error.cause }, 'failed')
  if (response.headersSent) return next(error)
  // The handler may have allowed caching of the answer that it meant to send.
  response.setHeader('cache-control', 'no-store')
  if (error.status === 401) response.setHeader('www-authenticate', CHALLENGE)
  if (error.status === 503) response.setHeader('retry-after', '1')
  const { errorPage } = response.locals
  if (errorPage && request.accepts('html')) return sendPage(response, errorPage(error))
  const body = asRest(error)
  const detail = error.status === 500 ? `${body.detail} Request id: ${requestId}` : body.detail
  if (response.locals.isInternal && error.status >= 500)
    return void response.status(500).json({ success: false, error: detail })
  response.status(error.status).json({ ...body, detail })
}
