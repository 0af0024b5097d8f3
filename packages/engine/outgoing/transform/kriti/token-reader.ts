import type { Token } from './lexer.ts'
import { TemplateError, type TemplateSource } from './template-error.ts'

/** A template's tokens, the index of the next one, and how many expressions enclose it. */
export type TokenReader = {
  source: TemplateSource
  tokens: readonly Token[]
  at: number
  depth: number
}

/** Words that are no names. A member with such a name is written as `['end']`. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'if',
  'elif',
  'else',
  'end',
  'null',
  'range',
  'in',
  'not',
])

/** The next token, or the one so many tokens after it, without taking it. */
export function peekToken({ tokens, at, source }: TokenReader, ahead = 0): Token {
  const { length } = source.text
  return tokens[at + ahead] ?? { kind: 'end', text: '', start: length, end: length }
}

/** Whether the next token is this symbol or keyword. */
export function nextIs(reader: TokenReader, part: string, ahead = 0): boolean {
  const { kind, text } = peekToken(reader, ahead)
  return text === part && (kind === 'symbol' || (kind === 'word' && KEYWORDS.has(part)))
}

/** Takes the next token if it is this symbol or keyword; returns whether it was. */
export function acceptPart(reader: TokenReader, part: string): boolean {
  const found = nextIs(reader, part)
  if (found) reader.at += 1
  return found
}

/** Takes these symbols and keywords. @throws TemplateError if they are not next */
export function expectParts(reader: TokenReader, ...parts: readonly string[]) {
  for (const part of parts) if (!acceptPart(reader, part)) throw unexpectedToken(reader)
}

/** Takes a name; null if there is none. */
export function acceptName(reader: TokenReader): Token | null {
  const token = peekToken(reader)
  if (token.kind !== 'word' || KEYWORDS.has(token.text)) return null
  reader.at += 1
  return token
}

/** Takes a name. @throws TemplateError */
export function expectName(reader: TokenReader): Token {
  const token = acceptName(reader)
  if (token === null) throw unexpectedToken(reader)
  return token
}

/** Takes adjacent tokens of text; null if there are none. */
export function acceptText(reader: TokenReader): Token | null {
  const first = peekToken(reader)
  if (first.kind !== 'text') return null
  let joined = { ...first, text: '' }
  for (let token = first; token.kind === 'text'; token = peekToken(reader)) {
    joined = { ...joined, text: joined.text + token.text, end: token.end }
    reader.at += 1
  }
  // Half of a pair of surrogates is no character, and UTF-8 has no bytes for it.
  return { ...joined, text: joined.text.toWellFormed() }
}

/** The error for a token that cannot stand where it is. */
export function unexpectedToken(reader: TokenReader): TemplateError {
  const token = peekToken(reader)
  const reason =
    token.kind === 'end' ? 'Unexpected end of the template.' : `Unexpected token '${token.text}'.`
  return new TemplateError(reader.source, { code: 'Parse Error', reason, span: token })
}
