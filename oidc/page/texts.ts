import { readFileSync } from 'node:fs'
import { z } from 'zod'

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

/** A text, escaped by `escapeText`, with the values filled in as they are. */
export function fillIn(
  text: string | undefined,
  values: Readonly<Record<string, string>> = {},
  escapeText: (text: string) => string = (text) => text,
): string {
  if (text === undefined) throw new Error('There is no such text.')
  return escapeText(text).replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

/**
 * The language to speak: the first that the client asks for in `ui_locales` (OpenID Connect Core 3.1.2.1), else the first
 * that the browser asks for in `Accept-Language`, of those that we know.
 *
 * @param asked tags such as `pt-BR`, the preferred first
 */
export function chooseLanguage(...asked: readonly unknown[]): Language {
  const tags = asked.flatMap((text) => (typeof text === 'string' ? text.split(/[\s,]+/) : []))
  const spoken = tags.map((tag) => LANGUAGES.find((known) => known === primaryOf(tag)))
  return spoken.find((language) => language !== undefined) ?? LANGUAGES[0]
}

function primaryOf(tag: string): string {
  return tag.toLowerCase().split(/[-_;]/)[0] ?? ''
}
