import { TemplateError, type TemplateSource } from './template-error.ts'

/**
 * A token of a template. The quotes of a text are symbols. Between them are tokens of kind `text`, and the tokens of expressions.
 */
export type Token = {
  kind: 'symbol' | 'word' | 'number' | 'boolean' | 'text' | 'end'
  text: string
  start: number
  end: number
}

/**
 * The context of the lexer. In a `value`, `}}` ends two objects. In an `expression`, which begins with `{{`, it ends the expression.
 */
type Mode = 'value' | 'expression' | 'text' | 'literal'

type Match = Pick<Token, 'kind' | 'text'> & { length: number; enter?: Mode; leave?: boolean }

/**
 * Splits a template into tokens. The last token has the kind `end`.
 *
 * @throws TemplateError
 * @see https://github.com/hasura/kriti-lang src/Kriti/Parser/Lexer.x
 */
export function tokenize(source: TemplateSource): Token[] {
  const { text } = source
  const tokens: Token[] = []
  const modes: Mode[] = []
  let position = 0
  while (position < text.length) {
    const mode = modes.at(-1) ?? 'value'
    if (mode === 'value' || mode === 'expression') {
      position += matchAt(IGNORED, text, position)?.length ?? 0
      if (position === text.length) break
    }
    const match = SCANNERS[mode](text, position)
    if (match === null) throw invalidLexeme(source, position)
    if (match.leave) modes.pop()
    if (match.enter) modes.push(match.enter)
    const { kind, length } = match
    tokens.push({ kind, text: match.text, start: position, end: position + length })
    position += length
  }
  return [...tokens, { kind: 'end', text: '', start: position, end: position }]
}

function invalidLexeme(source: TemplateSource, position: number): TemplateError {
  const character = String.fromCodePoint(source.text.codePointAt(position) ?? 0)
  const span = { start: position, end: position + character.length }
  return new TemplateError(source, {
    code: 'Lex Error',
    reason: `Invalid Lexeme: '${character}'`,
    span,
  })
}

/** White space and comments. A comment begins with `#` and ends with its line. */
const IGNORED = /(?:[ \t\n\f\v\r]+|#[^\n]*)+/y

const WORD = /\$?[A-Za-z][$A-Za-z0-9_-]*|\$/y
/** A number. Only whole numbers (`WHOLE_NUMBER`) may begin with zeros. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WHOLE_NUMBER = /-?\d+/y
/** A symbol. Longer symbols come first. */
const SYMBOL = /\{\{|:=|==|!=|>=|<=|&&|\|\||\?\?|[{}[\](),.:<>?_"']/y

const SCANNERS: Readonly<Record<Mode, (text: string, position: number) => Match | null>> = {
  value: scanCode,
  expression: (text, position) =>
    text.startsWith('}}', position)
      ? { kind: 'symbol', text: '}}', length: 2, leave: true }
      : scanCode(text, position),
  text: scanText,
  literal: scanLiteral,
}

function scanCode(text: string, position: number): Match | null {
  const word = matchAt(WORD, text, position)
  if (word !== null) {
    const kind = word === 'true' || word === 'false' ? 'boolean' : 'word'
    return { kind, text: word, length: word.length }
  }
  const integer = matchAt(WHOLE_NUMBER, text, position)
  const number = matchAt(NUMBER, text, position)
  if (integer !== null && integer.length >= (number ?? '').length)
    return { kind: 'number', text: String(BigInt(integer)), length: integer.length }
  if (number !== null) return { kind: 'number', text: number, length: number.length }
  const symbol = matchAt(SYMBOL, text, position)
  if (symbol === null) return null
  const enter = NEXT_MODES[symbol]
  return { kind: 'symbol', text: symbol, length: symbol.length, ...(enter ? { enter } : {}) }
}

/** The mode that begins after a symbol. */
const NEXT_MODES: Readonly<Record<string, Mode>> = {
  '{{': 'expression',
  '"': 'text',
  "'": 'literal',
}

const PLAIN_TEXT = /[^\\"{]+|\{/y
const ESCAPE = /\\(?:[{"\\/bfnrt]|u[0-9A-Fa-f]{4})/y

/** Scans the content of double quotes. */
function scanText(text: string, position: number): Match | null {
  if (text.startsWith('{{', position))
    return { kind: 'symbol', text: '{{', length: 2, enter: 'expression' }
  if (text[position] === '"') return { kind: 'symbol', text: '"', length: 1, leave: true }
  const plainText = matchAt(PLAIN_TEXT, text, position)
  if (plainText !== null) return { kind: 'text', text: plainText, length: plainText.length }
  const sequence = matchAt(ESCAPE, text, position)
  return sequence === null
    ? null
    : { kind: 'text', text: decodeEscape(sequence), length: sequence.length }
}

function decodeEscape(sequence: string): string {
  const letter = sequence.charAt(1)
  if (letter === 'u') return String.fromCharCode(Number.parseInt(sequence.slice(2), 16))
  return CONTROLS[letter] ?? letter
}

/** Kriti keeps the backslash of `\/`, unlike JSON. */
const CONTROLS: Readonly<Record<string, string>> = {
  '/': '\\/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Scans the content of single quotes, which has no escapes. */
function scanLiteral(text: string, position: number): Match | null {
  if (text[position] === "'") return { kind: 'symbol', text: "'", length: 1, leave: true }
  const plainText = matchAt(/[^'{]+/y, text, position)
  return plainText === null ? null : { kind: 'text', text: plainText, length: plainText.length }
}

function matchAt(pattern: RegExp, text: string, position: number): string | null {
  pattern.lastIndex = position
  return pattern.exec(text)?.[0] ?? null
}
