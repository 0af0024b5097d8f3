import { escapeHtml } from '../../lib/http/html.ts'
import { type Rendered, renderDocument } from './document.ts'

/** A page that tells a person what went wrong, and nothing else. */
export function renderPage({ title, text }: { title: string; text: string }): Rendered {
  return renderDocument({
    title,
    body: `<main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></main>`,
    connectTo: [],
  })
}
