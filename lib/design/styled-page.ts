import { type Html, html } from './html.ts'
import { htmlPage, inlineStyle } from './html-page.ts'
import { brandHeader, DOCUMENT_SHEET } from './look.ts'

const style = inlineStyle(DOCUMENT_SHEET)

type StyledPage = {
  /** Plain text; also the heading. */
  title: string
  /** What comes after the heading. */
  body: Html
  /** `card`: one short question in the middle of the screen. `document`: a page to read. */
  layout: 'card' | 'document'
  /** Where the logo leads; nowhere by default. */
  home?: string | null
}

/**
 * A whole page in the one style of our small pages: no script, nothing loaded from elsewhere, light or dark as
 * the person's device prefers, and fit for phones. The sign-in page adds a sheet of its own to the same one.
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

/** The Content-Security-Policy of such a page: its own style and logo, and nothing else but what is given. */
export function pagePolicy(allowed: { formAction?: "'self'"; frames?: "'self'" } = {}): string {
  return [
    "default-src 'none'",
    `style-src ${style.source}`,
    'img-src data:',
    ...(allowed.frames ? [`frame-src ${allowed.frames}`] : []),
    `form-action ${allowed.formAction ?? "'none'"}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
