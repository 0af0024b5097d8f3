import { type Html, html } from './html.ts'
import { htmlPage, inlineStyle } from './html-page.ts'
import { brandHeader, DOCUMENT_SHEET } from './look.ts'

const style = inlineStyle(DOCUMENT_SHEET)

type StyledPage = {
  /** The title and the heading, in plain text. */
  title: string
  /** The content after the heading. */
  body: Html
  /** `card`: one short question in the middle of the screen. `document`: a page to read. */
  layout: 'card' | 'document'
  /** The URL that the logo links to; by default there is no link. */
  home?: string | null
}

/**
 * Makes a whole page in the style of our plain HTML pages. The page has no script and no external files, is light or
 * dark as the device prefers, and fits phones.
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

/** Returns the Content-Security-Policy of a styled page. It allows only the style, the logo, and `sources`. */
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
