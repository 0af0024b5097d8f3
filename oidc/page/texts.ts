import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Html, html, joinHtml } from '../../lib/design/html.ts'

/** The languages of the pages, as in `ui_locales`. The first is the default. */
export const LANGUAGES = ['en', 'es', 'pt', 'de', 'fr', 'ja'] as const

export type Language = (typeof LANGUAGES)[number]

const TextFile = z.record(z.string(), z.record(z.enum(LANGUAGES), z.string().min(1)))

/** Every text of the pages in every language. Braces enclose the names of values. */
const textFile = TextFile.parse(
  JSON.parse(readFileSync(new URL('texts.json', import.meta.url), 'utf8')),
)

/** The texts of one language, by name in texts.json. */
export type Texts = Record<string, string>

/** @returns the texts in a language */
export function textsIn(language: Language): Texts {
  return Object.fromEntries(
    Object.entries(textFile).map(([name, texts]) => [name, texts[language]]),
  )
}

/** Fills the values into a text. */
export function fillIn(
  text: string | undefined,
  values: Readonly<Record<string, string>> = {},
): string {
  if (text === undefined) throw new Error('This text is missing from texts.json.')
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

/** Fills the values into a text as HTML, each value in bold. */
export function fillHtml(
  text: string | undefined,
  values: Readonly<Record<string, string>> = {},
): Html {
  const parts = fillIn(text).split(/\{(\w+)\}/)
  // Every second part is the name of a value.
  const segments = parts.map((part, i) =>
    i % 2 === 0 ? html`${part}` : html`<strong>${values[part] ?? part}</strong>`,
  )
  return joinHtml(segments, '')
}

/** A request of Express or Koa, which reads `Accept-Language` (RFC 9110 12.5.4). */
type Browser = { acceptsLanguages(languages: string[]): string | false }

/**
 * Chooses the language of a page: the first supported language in `ui_locales` (OpenID Connect Core 3.1.2.1), or else
 * in the browser's `Accept-Language`.
 *
 * @param uiLocales tags such as `pt-BR`, separated by spaces, the preferred tag first
 */
export function chooseLanguage(uiLocales: unknown, browser: Browser): Language {
  const tags = typeof uiLocales === 'string' ? uiLocales.split(' ') : []
  const requestedLanguage = tags.map(supportedLanguage).find((language) => language !== undefined)
  return (
    requestedLanguage ??
    supportedLanguage(browser.acceptsLanguages([...LANGUAGES]) || '') ??
    LANGUAGES[0]
  )
}

function supportedLanguage(tag: string): Language | undefined {
  const [primary] = tag.toLowerCase().split(/[-_]/)
  return LANGUAGES.find((language) => language === primary)
}
