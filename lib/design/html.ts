import { hash } from 'node:crypto'
import { ICON } from './look.ts'

/**
 * HTML in which every value is escaped. Only `html` and `trustedHtml` make it, and a text cannot be taken for it: it is
 * recognised by this class.
 */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** What a template of HTML can contain; null is left out. */
type HtmlValue = Html | string | number | null

/** Tags a template: nested HTML is inserted as it is, every other value is escaped for use between tags or in a quoted attribute. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(htmlText)))
}

function htmlText(value: HtmlValue): string {
  if (value === null) return ''
  return value instanceof Html ? String(value) : escapeHtml(String(value))
}

/** HTML that is written in the source, or made of values without any text of others: it is not escaped. */
export function trustedHtml(text: string): Html {
  return new Html(text)
}

/** Joins HTML; the separators are a closed set, so there is no way to insert raw text. */
export function joinHtml(parts: readonly Html[], separator: '' | '\n'): Html {
  return new Html(parts.join(separator))
}

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
