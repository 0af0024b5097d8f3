import type { Token } from './lexer.ts'
import { TemplateError, type TemplateSource } from './template-error.ts'

/** The tokens of a template, the index of the next token, and its nesting depth. */
export type TokenReader = {
  source: TemplateSource
  tokens: readonly Token[]
  position: number
  depth: number
}

/** Words that cannot be names. A member with such a name is written in brackets, for example `['end']`. */
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

/** Returns the next token, or the token `offset` tokens after it, without consuming it. */
export function peekToken({ tokens, position, source }: TokenReader, offset = 0): Token {
  const { length } = source.text
  return tokens[position + offset] ?? { kind: 'end', text: '', start: length, end: length }
}

/** Reports whether the next token is this symbol or keyword. */
export function nextIs(reader: TokenReader, part: string, offset = 0): boolean {
  const { kind, text } = peekToken(reader, offset)
  return text === part && (kind === 'symbol' || (kind === 'word' && KEYWORDS.has(part)))
}

/** Consumes the next token if it is this symbol or keyword. Returns false if it is not. */
export function acceptPart(reader: TokenReader, part: string): boolean {
  const isNext = nextIs(reader, part)
  if (isNext) reader.position += 1
  return isNext
}

/** Consumes these symbols and keywords. @throws TemplateError if they are not next */
export function expectParts(reader: TokenReader, ...parts: readonly string[]) {
  for (const part of parts) if (!acceptPart(reader, part)) throw unexpectedToken(reader)
}

/** Consumes a name. Returns null if there is none. */
export function acceptName(reader: TokenReader): Token | null {
  const token = peekToken(reader)
  if (token.kind !== 'word' || KEYWORDS.has(token.text)) return null
  reader.position += 1
  return token
}

/** Consumes a name. @throws TemplateError */
export function expectName(reader: TokenReader): Token {
  const token = acceptName(reader)
  if (token === null) throw unexpectedToken(reader)
  return token
}

/** Consumes adjacent tokens of text. Returns null if there are none. */
export function acceptText(reader: TokenReader): Token | null {
  const first = peekToken(reader)
  if (first.kind !== 'text') return null
  let joinedToken = { ...first, text: '' }
  for (let token = first; token.kind === 'text'; token = peekToken(reader)) {
    joinedToken = { ...joinedToken, text: joinedToken.text + token.text, end: token.end }
    reader.position += 1
  }
  // UTF-8 has no bytes for half of a surrogate pair.
  return { ...joinedToken, text: joinedToken.text.toWellFormed() }
}

/** Creates the error for an unexpected token. */
export function unexpectedToken(reader: TokenReader): TemplateError {
  const token = peekToken(reader)
  const reason =
    token.kind === 'end' ? 'Unexpected end of the template.' : `Unexpected token '${token.text}'.`
  return new TemplateError(reader.source, { code: 'Parse Error', reason, span: token })
}
