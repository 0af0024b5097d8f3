import type { ApiError } from '../../lib/errors.ts'
import { escapeHtml, type RenderedPage } from '../../lib/http/html.ts'
import { renderDocument } from './document.ts'

const TITLE = 'This sign-in cannot go on'

/** A page that tells a person what went wrong, and nothing else. */
export function renderErrorPage({ message }: ApiError): RenderedPage {
  return renderDocument({
    title: TITLE,
    body: `<main><h1>${escapeHtml(TITLE)}</h1><p>${escapeHtml(message)}</p></main>`,
    connectTo: [],
  })
}
