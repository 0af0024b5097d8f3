import type { ApiError } from '../errors.ts'
import type { ErrorBody } from './error-body.ts'

/** An HTML page, and its headers. */
export type RenderedPage = { html: string; headers: Record<string, string> }

/** The form in which a service shows an error to a caller. */
export type ErrorView = {
  body: ErrorBody
  /** Replaces the body on paths that people visit. */
  page?: RenderedPage | null
  /** The value of `WWW-Authenticate`. */
  challenge?: string | null
  /** Overrides the error's status. */
  status?: number
}

export type ErrorAnswer = {
  status: number
  headers: Record<string, string>
  /** An object is sent as JSON, a text as HTML. */
  body: object | string
}

/**
 * Makes the response for an error.
 *
 * @param requestId is added to an internal error (500), so that the caller can report it; null if no report is expected
 */
export function createErrorAnswer(
  error: ApiError,
  view: ErrorView,
  requestId: string | null,
): ErrorAnswer {
  const status = view.status ?? error.status
  const headers = {
    // Replaces the header that the failed handler may have set.
    'cache-control': 'no-store',
    ...(error.retryAfterSeconds !== null && { 'retry-after': `${error.retryAfterSeconds}` }),
    ...(view.challenge && { 'www-authenticate': view.challenge }),
  }
  if (view.page) {
    const { html, headers: pageHeaders } = view.page
    return {
      status,
      headers: { ...headers, ...pageHeaders, 'content-type': 'text/html; charset=utf-8' },
      body: html,
    }
  }
  const isReportable = error.status === 500 && requestId !== null
  const detail = isReportable ? `${error.message} Request id: ${requestId}` : error.message
  return { status, headers, body: view.body(error, detail) }
}
