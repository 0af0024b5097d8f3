/**
 * HTML in which every value is escaped. Only `html` and its helpers below make it, and a text cannot be taken for it: it is
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

/** A value in a template of HTML; null is left out. */
type HtmlValue = Html | string | number | null

/**
 * Tags a template: nested HTML is inserted as it is, every other value is escaped for use between tags or in a quoted
 * attribute.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(htmlText)))
}

function htmlText(value: HtmlValue): string {
  if (value === null) return ''
  if (value instanceof Html) return String(value)
  return String(value).replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** HTML, CSS or a script that is written in the source: it is not escaped. No value of a caller may be in it. */
export function trustedHtml(text: string): Html {
  return new Html(text)
}

/** Joins HTML; the separators are a closed set, so there is no way to insert raw text. */
export function joinHtml(parts: readonly Html[], separator: '' | '\n'): Html {
  return new Html(parts.join(separator))
}

/** Data for a script of a page, in an element of the type `application/json` that the data cannot close. */
export function jsonForScript(value: unknown): Html {
  return new Html(JSON.stringify(value).replaceAll('<', '\\u003c'))
}

/**
 * Wraps untrusted plain text in Unicode's bidi isolates (FSI … PDI), so that it cannot change the direction of the
 * sentence around it. Isolates in the text are removed, so it cannot end ours; it could end a `<bdi>` element.
 */
export function isolateBidi(text: string): string {
  return `\u2068${text.replaceAll(/[\u2066-\u2069]/g, '')}\u2069`
}
