/** A token of a Kriti template; `at` is its offset in the text. */
export type Token = { at: number } & (
  | { kind: 'symbol'; text: string }
  | { kind: 'word'; text: string }
  | { kind: 'number'; value: number }
  /** The pieces of a string: texts, and expressions to put between them. */
  | { kind: 'string'; pieces: readonly (string | readonly Token[])[] }
  | { kind: 'end' }
)

/** The template cannot be read, or cannot be filled in with what it was given. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** Splits a template into tokens. @throws TemplateError */
export function tokenize(template: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < template.length) {
    const space = matchAt(/\s+/y, template, at)
    if (space !== null) {
      at += space.length
      continue
    }
    const [token, length] = nextToken(template, at)
    tokens.push(token)
    at += length
  }
  return [...tokens, { kind: 'end', at }]
}

/** Reads a template as if it were between quotes, which is how URLs and headers are written. */
export function tokenizeText(template: string): Token[] {
  const { pieces } = stringPieces(template, 0, null)
  return [
    { kind: 'string', pieces, at: 0 },
    { kind: 'end', at: template.length },
  ]
}

/** Longer symbols come first. `}}` is two tokens, because it may also end two objects. */
const SYMBOLS = /\{\{|:=|==|!=|>=|<=|&&|\|\||\?\?|\?\.|\?\[|[{}[\](),.:<>]/y

const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const WORD = /[A-Za-z_$][A-Za-z0-9_$-]*/y

function nextToken(template: string, at: number): [Token, number] {
  const quote = template[at]
  if (quote === '"' || quote === "'") {
    const { pieces, end } = stringPieces(template, at + 1, quote)
    return [{ kind: 'string', pieces, at }, end - at]
  }
  const number = matchAt(NUMBER, template, at)
  if (number !== null) return [{ kind: 'number', value: Number(number), at }, number.length]
  const word = matchAt(WORD, template, at)
  if (word !== null) return [{ kind: 'word', text: word, at }, word.length]
  const symbol = matchAt(SYMBOLS, template, at)
  if (symbol !== null) return [{ kind: 'symbol', text: symbol, at }, symbol.length]
  throw new TemplateError(`unexpected "${template[at]}" at ${at}`)
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

/** Reads a string up to its quote; without a quote, to the end of the text. */
function stringPieces(template: string, begin: number, quote: string | null) {
  const pieces: (string | readonly Token[])[] = []
  let text = ''
  let at = begin
  while (at < template.length && template[at] !== quote) {
    if (template.startsWith('{{', at)) {
      const end = closingBraces(template, at + 2)
      pieces.push(text, tokenize(template.slice(at + 2, end)))
      text = ''
      at = end + 2
    } else if (template[at] === '\\' && quote !== null) {
      const [character, length] = escapedCharacter(template, at)
      text += character
      at += length
    } else {
      text += template[at]
      at += 1
    }
  }
  if (quote !== null && template[at] !== quote) throw new TemplateError('a string has no end')
  pieces.push(text)
  return { pieces, end: at + 1 }
}

/** The offset of the `}}` that ends an expression; one inside a string in it does not count. */
function closingBraces(template: string, begin: number): number {
  let quote: string | null = null
  for (let at = begin; at < template.length; at += 1) {
    const character = template.charAt(at)
    if (quote === null && template.startsWith('}}', at)) return at
    if (quote === null && (character === '"' || character === "'")) quote = character
    else if (character === quote) quote = null
  }
  throw new TemplateError('an expression has no end')
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
}

function escapedCharacter(template: string, at: number): [string, number] {
  const code = matchAt(/\\u[0-9a-fA-F]{4}/y, template, at)
  if (code !== null) return [String.fromCharCode(Number.parseInt(code.slice(2), 16)), 6]
  const letter = template.charAt(at + 1)
  return [ESCAPES[letter] ?? letter, 2]
}
