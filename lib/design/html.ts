/** HTML in which each value is escaped or trusted. Create it only with `html` and the functions below. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** A value in an HTML template; null becomes an empty text. */
type HtmlValue = Html | string | number | null

/**
 * Builds HTML from a template literal. Escapes every value except nested HTML. Put values between tags or in quotes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(htmlText)))
}

function htmlText(value: HtmlValue): string {
  if (value === null) return ''
  if (value instanceof Html) return String(value)
  return String(value).replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** Marks HTML, CSS or a script from our source as safe, without escaping. Never pass a caller's value. */
export function trustedHtml(text: string): Html {
  return new Html(text)
}

/** Joins parts of HTML. Only two separators are allowed, so that no raw text can be inserted. */
export function joinHtml(parts: readonly Html[], separator: '' | '\n'): Html {
  return new Html(parts.join(separator))
}

/** Encodes data for a `<script type="application/json">` element; the data cannot close the element. */
export function jsonForScript(value: unknown): Html {
  return new Html(JSON.stringify(value).replaceAll('<', '\\u003c'))
}

/**
 * Wraps untrusted plain text in Unicode's bidi isolates (FSI … PDI), so that the text cannot change the direction of
 * the sentence around it. Removes isolate characters from the text, so that the text cannot end our isolate. A `<bdi>`
 * element would not suffice, because a PDI in the text could end the element's isolate.
 */
export function isolateBidi(text: string): string {
  return `\u2068${text.replaceAll(/[\u2066-\u2069]/g, '')}\u2069`
}
