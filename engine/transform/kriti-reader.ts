import { TemplateError, type Token } from './kriti-tokens.ts'

/** A template's tokens, and the index of the next one. */
export type Reader = { tokens: readonly Token[]; at: number }

/** The next token, without taking it. */
export function peekToken(reader: Reader): Token {
  return reader.tokens[reader.at] ?? { kind: 'end', at: 0 }
}

/** Takes the next token. */
export function takeToken(reader: Reader): Token {
  const token = peekToken(reader)
  reader.at += 1
  return token
}

/** Takes the next token if it is this symbol; returns whether it was. */
export function acceptSymbol(reader: Reader, symbol: string): boolean {
  const token = peekToken(reader)
  const found = token.kind === 'symbol' && token.text === symbol
  if (found) reader.at += 1
  return found
}

/** Takes the next token if it is this word; returns whether it was. */
export function acceptWord(reader: Reader, word: string): boolean {
  const token = peekToken(reader)
  const found = token.kind === 'word' && token.text === word
  if (found) reader.at += 1
  return found
}

/** Takes a symbol or word. @throws TemplateError if it is not next */
export function expectPart(reader: Reader, part: string) {
  if (!acceptSymbol(reader, part) && !acceptWord(reader, part)) throw unexpectedToken(reader, part)
}

/** Takes `{{ end }}`. */
export function expectEnd(reader: Reader) {
  expectPart(reader, '{{')
  expectBranchesEnd(reader)
}

/** Takes `end }}`. */
export function expectBranchesEnd(reader: Reader) {
  expectPart(reader, 'end')
  expectBraces(reader)
}

/** Takes `}}`. It is two tokens, because it may also be the end of two objects. */
export function expectBraces(reader: Reader) {
  expectPart(reader, '}')
  expectPart(reader, '}')
}

/** Takes a name. @throws TemplateError */
export function readName(reader: Reader): string {
  const token = takeToken(reader)
  if (token.kind === 'word') return token.text
  reader.at -= 1
  throw unexpectedToken(reader, 'a name')
}

/** The error for a next token that is not the expected one. */
export function unexpectedToken(reader: Reader, wanted = 'a value'): TemplateError {
  const token = peekToken(reader)
  const found = 'text' in token ? `"${token.text}"` : token.kind
  return new TemplateError(`expected ${wanted} but found ${found} at ${token.at}`)
}
