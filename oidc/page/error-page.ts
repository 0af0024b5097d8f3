import { type Html, html } from '../../lib/design/html.ts'
import type { ApiError, ErrorCode } from '../../lib/runtime/errors.ts'
import type { RenderedPage } from '../../lib/runtime/http/error-answer.ts'
import { renderDocument } from './document.ts'
import { fillIn, type Language, type Texts, textsIn } from './texts.ts'

/**
 * The names of the texts about errors that a person can do something about. At any other error the app has made a
 * mistake, about which the person can do nothing.
 */
const FOR_PEOPLE: Partial<Record<ErrorCode, string>> = {
  sign_in_expired: 'error_expired',
  cookie_missing: 'error_no_cookie',
  rate_limited: 'error_too_many',
  unavailable: 'error_unavailable',
  internal_error: 'error_internal',
  not_found: 'error_not_found',
}

/** A page that tells a person that a sign-in cannot go on, what to do, and what to tell the app's developers. */
export function renderErrorPage(
  { code, message, status }: ApiError,
  { language, requestId }: { language: Language; requestId: string },
): RenderedPage {
  const texts = textsIn(language)
  const title = fillIn(texts.error_title)
  const known = FOR_PEOPLE[code]
  const text = known ? html`<p>${fillIn(texts[known])}</p>` : mistakeOfTheApp(texts, message)
  const isReported = status === 404 || status >= 500
  const report = isReported
    ? html`<p class="note">${fillIn(texts.request_id, { id: requestId })}</p>`
    : null
  return renderDocument({
    language,
    title,
    body: html`<main><h1>${title}</h1>${text}${report}</main>`,
    connectTo: [],
  })
}

function mistakeOfTheApp(texts: Texts, message: string): Html {
  return html`<p>${fillIn(texts.error_of_the_app)}</p>
<p class="note">${fillIn(texts.for_developers, { message })}</p>`
}
