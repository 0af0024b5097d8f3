import { type Html, html } from './html.ts'
import { htmlPage, inlineStyle } from './html-page.ts'
import { brandHeader, DOCUMENT_SHEET } from './look.ts'

const style = inlineStyle(DOCUMENT_SHEET)

type StyledPage = {
  /** Plain text; also the heading. */
  title: string
  /** The content after the heading. */
  body: Html
  /** `card`: one short question in the middle of the screen. `document`: a page to read. */
  layout: 'card' | 'document'
  /** The link of the logo; by default no link. */
  home?: string | null
}

/**
 * Makes a whole page in the style of our small pages: no script, no external files, light or dark as the device prefers,
 * for phones too. The sign-in page adds a further style sheet.
 */
export function styledPage({ title, body, layout, home = null }: StyledPage): string {
  const open = layout === 'card' ? html`<main>` : html`<main class="wide">`
  return htmlPage({
    title,
    head: style.element,
    body: html`${brandHeader(home)}
${open}
<h1>${title}</h1>
${body}
</main>`,
  })
}

/** Returns the Content-Security-Policy of a styled page: allows only its style, its logo, and the given sources. */
export function pagePolicy(sources: { formAction?: "'self'"; frames?: "'self'" } = {}): string {
  return [
    "default-src 'none'",
    `style-src ${style.source}`,
    'img-src data:',
    ...(sources.frames ? [`frame-src ${sources.frames}`] : []),
    `form-action ${sources.formAction ?? "'none'"}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
