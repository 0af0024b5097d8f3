import { hash } from 'node:crypto'
import { ICON } from './look.ts'

/** Escapes a text for use between tags, or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/**
 * Wraps untrusted plain text in Unicode's bidi isolates (FSI … PDI), so that it cannot change the direction of the
 * sentence around it. Isolates in the text are removed, so it cannot end ours; it could end a `<bdi>` element.
 */
export function isolateBidi(text: string): string {
  return `\u2068${text.replaceAll(/[\u2066-\u2069]/g, '')}\u2069`
}

type Page = {
  /** The language of the page, English by default. */
  language?: string
  /** Plain text. */
  title: string
  /** HTML, like the body: the caller has escaped every value in it. */
  head: string
  body: string
}

/** A whole HTML document with our icon, fit for phones. */
export function htmlPage({ language = 'en', title, head, body }: Page): string {
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${ICON}
${head}
</head>
<body>
${body}
</body>
</html>
`
}

/** An inline style, and the source that lets a Content-Security-Policy allow it and no other. */
export function inlineStyle(css: string): { html: string; source: string } {
  return { html: `<style>${css}</style>`, source: `'sha256-${hash('sha256', css, 'base64')}'` }
}
