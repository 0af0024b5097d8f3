import type { ApiError } from '../errors.ts'
import type { ErrorBody } from './error-body.ts'

/** A page, and the headers with which it is sent. */
export type RenderedPage = { html: string; headers: Record<string, string> }

/** How a service shows an error to the caller of one request. */
export type ErrorView = {
  body: ErrorBody
  /** For a person who visits the path, in place of the body. */
  page?: RenderedPage | null
  /** The value of `WWW-Authenticate`. */
  challenge?: string | null
  /** Where it is not the error's own. */
  status?: number
}

export type ErrorAnswer = {
  status: number
  headers: Record<string, string>
  /** An object for JSON, a text for HTML. */
  body: object | string
}

/**
 * The answer to a request that an error has ended: its status, its headers, and its body or page.
 *
 * @param requestId is told to the caller with an `internal_error`, for a report; null where no report is expected
 */
export function errorAnswer(
  error: ApiError,
  view: ErrorView,
  requestId: string | null,
): ErrorAnswer {
  const status = view.status ?? error.status
  const headers = {
    // The handler may have allowed caching of the answer that it meant to send.
    'cache-control': 'no-store',
    ...(error.retryAfterSeconds !== null && { 'retry-after': `${error.retryAfterSeconds}` }),
    ...(view.challenge && { 'www-authenticate': view.challenge }),
  }
  if (view.page) {
    const { html, headers: ofPage } = view.page
    return {
      status,
      headers: { ...headers, ...ofPage, 'content-type': 'text/html; charset=utf-8' },
      body: html,
    }
  }
  const hasReport = error.status === 500 && requestId !== null
  const detail = hasReport ? `${error.message} Request id: ${requestId}` : error.message
  return { status, headers, body: view.body(error, detail) }
}
