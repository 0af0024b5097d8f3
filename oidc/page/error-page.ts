import { type Html, html } from '../../lib/design/html.ts'
import type { ApiError, ErrorCode } from '../../lib/runtime/errors.ts'
import type { RenderedPage } from '../../lib/runtime/http/error-answer.ts'
import { renderDocument } from './document.ts'
import { fillIn, type Language, type Texts, textsIn } from './texts.ts'

/** The names of the texts for errors that are not the app's mistake. Any other error is shown as the app's mistake. */
const TEXTS_FOR_PEOPLE: Partial<Record<ErrorCode, string>> = {
  sign_in_expired: 'error_expired',
  cookie_missing: 'error_no_cookie',
  rate_limited: 'error_too_many',
  unavailable: 'error_unavailable',
  internal_error: 'error_internal',
  not_found: 'error_not_found',
}

/**
 * Renders the page for a sign-in that cannot continue. The page tells the person what to do. If the error is the app's
 * mistake, the page also shows the error's message for the app's developers.
 */
export function renderErrorPage(
  { code, message, status }: ApiError,
  { language, requestId }: { language: Language; requestId: string },
): RenderedPage {
  const texts = textsIn(language)
  const title = fillIn(texts.error_title)
  const textName = TEXTS_FOR_PEOPLE[code]
  const text = textName ? html`<p>${fillIn(texts[textName])}</p>` : renderAppMistake(texts, message)
  const isReported = status === 404 || status >= 500
  const report = isReported
    ? html`<p class="note">${fillIn(texts.request_id, { id: requestId })}</p>`
    : null
  return renderDocument({
    language,
    title,
    body: html`<main><h1>${title}</h1>${text}${report}</main>`,
    connectSources: [],
  })
}

function renderAppMistake(texts: Texts, message: string): Html {
  return html`<p>${fillIn(texts.error_of_the_app)}</p>
<p class="note">${fillIn(texts.for_developers, { message })}</p>`
}
