import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Html, html, joinHtml } from '../../lib/design/html.ts'

/** The languages of the pages, as `ui_locales` names them; the first is for everybody else. */
export const LANGUAGES = ['en', 'es', 'pt', 'de', 'fr', 'ja'] as const

export type Language = (typeof LANGUAGES)[number]

const TextFile = z.record(z.string(), z.record(z.enum(LANGUAGES), z.string().min(1)))

/** Every text that people read, in every language; braces enclose what is filled in. */
const file = TextFile.parse(
  JSON.parse(readFileSync(new URL('texts.json', import.meta.url), 'utf8')),
)

/** The texts of one language, by their names in texts.json. */
export type Texts = Record<string, string>

/** @returns the texts in a language */
export function textsIn(language: Language): Texts {
  return Object.fromEntries(Object.entries(file).map(([name, texts]) => [name, texts[language]]))
}

/** A text with the values filled in. */
export function fillIn(
  text: string | undefined,
  values: Readonly<Record<string, string>> = {},
): string {
  if (text === undefined) throw new Error('There is no such text.')
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

/** The same as HTML, with what is filled in emphasized. */
export function fillHtml(
  text: string | undefined,
  values: Readonly<Record<string, string>> = {},
): Html {
  const parts = fillIn(text).split(/\{(\w+)\}/)
  // Every second part is a name.
  const filled = parts.map((part, i) =>
    i % 2 === 0 ? html`${part}` : html`<strong>${values[part] ?? part}</strong>`,
  )
  return joinHtml(filled, '')
}

/** A request, of Express or Koa: what it answers follows RFC 9110 12.5.4. */
type Browser = { acceptsLanguages(known: string[]): string | false }

/**
 * The language to speak, of those that we know: the first that the client asks for in `ui_locales` (OpenID Connect Core
 * 3.1.2.1), else the one that the browser prefers in `Accept-Language`.
 *
 * @param uiLocales tags such as `pt-BR` with spaces between them, the preferred first
 */
export function chooseLanguage(uiLocales: unknown, browser: Browser): Language {
  const tags = typeof uiLocales === 'string' ? uiLocales.split(' ') : []
  const asked = tags.map(knownLanguage).find((language) => language !== undefined)
  return asked ?? knownLanguage(browser.acceptsLanguages([...LANGUAGES]) || '') ?? LANGUAGES[0]
}

function knownLanguage(tag: string): Language | undefined {
  const [primary] = tag.toLowerCase().split(/[-_]/)
  return LANGUAGES.find((known) => known === primary)
}
