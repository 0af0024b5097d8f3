import { binary, FUNCTIONS, type Scope, type Template, truth } from './kriti-functions.ts'
import { TemplateError, type Token, tokenize, tokenizeText } from './tokens.ts'

/**
 * Reads a Kriti template: JSON in which `{{ … }}` stands for values.
 *
 * @throws TemplateError
 * @see https://github.com/hasura/kriti-lang
 */
export function jsonTemplate(text: string): Template {
  return readWhole(tokenize(text))
}

/**
 * Reads a text in which `{{ … }}` stands for values: a URL, a header, a query parameter.
 *
 * @throws TemplateError
 */
export function textTemplate(text: string): (scope: Scope) => string {
  const template = readWhole(tokenizeText(text))
  return (scope) => String(template(scope))
}

type Reader = { tokens: readonly Token[]; at: number }

function readWhole(tokens: readonly Token[]): Template {
  const reader = { tokens, at: 0 }
  const template = value(reader)
  if (peek(reader).kind !== 'end') throw unexpected(reader)
  return template
}

/** A value: JSON, or an expression in double braces. */
function value(reader: Reader): Template {
  if (!accept(reader, '{{')) return primary(reader)
  if (acceptWord(reader, 'if')) return conditional(reader)
  if (acceptWord(reader, 'range')) return range(reader)
  const inner = expression(reader)
  expectClose(reader)
  return inner
}

/** Reads what follows `{{ if`. Branches are values; `elif` is an `if` in the `else` branch. */
function conditional(reader: Reader): Template {
  const condition = expression(reader)
  expectClose(reader)
  const then = value(reader)
  expect(reader, '{{')
  const otherwise = alternative(reader)
  return (scope) => (truth(condition(scope)) ? then(scope) : otherwise(scope))
}

function alternative(reader: Reader): Template {
  if (acceptWord(reader, 'elif')) return conditional(reader)
  if (!acceptWord(reader, 'else')) {
    closeBranches(reader)
    return () => null
  }
  expectClose(reader)
  const last = value(reader)
  expectEnd(reader)
  return last
}

/** Reads what follows `{{ range`: `i, x := list }} value {{ end }}`, which makes a list. */
function range(reader: Reader): Template {
  const index = name(reader)
  expect(reader, ',')
  const item = name(reader)
  expect(reader, ':=')
  const list = expression(reader)
  expectClose(reader)
  const body = value(reader)
  expectEnd(reader)
  return (scope) => {
    const items = list(scope)
    if (!Array.isArray(items)) throw new TemplateError('range needs a list')
    return items.map((element, i) => body({ ...scope, [index]: i, [item]: element }))
  }
}

/** Operators by precedence: those that bind loosest come first. */
const PRECEDENCE: readonly (readonly string[])[] = [
  ['??'],
  ['||'],
  ['&&'],
  ['in'],
  ['==', '!='],
  ['>', '<', '>=', '<='],
]

function expression(reader: Reader, level = 0): Template {
  const operators = PRECEDENCE[level]
  if (!operators) return path(reader)
  let left = expression(reader, level + 1)
  for (
    let operator = operatorOf(reader, operators);
    operator;
    operator = operatorOf(reader, operators)
  ) {
    left = binary(operator, left, expression(reader, level + 1))
  }
  return left
}

function operatorOf(reader: Reader, operators: readonly string[]): string | undefined {
  return operators.find((operator) => accept(reader, operator) || acceptWord(reader, operator))
}

/**
 * A value with steps into it:
 * `.x`, `['x']`, `[0]`; `?.x` and `?['x']` give null if there is no such member.
 */
function path(reader: Reader): Template {
  let target = primary(reader)
  for (;;) {
    if (accept(reader, '.')) target = step(target, constant(name(reader)), false)
    else if (accept(reader, '?.')) target = step(target, constant(name(reader)), true)
    else if (accept(reader, '[')) target = step(target, bracketed(reader), false)
    else if (accept(reader, '?[')) target = step(target, bracketed(reader), true)
    else return target
  }
}

function bracketed(reader: Reader): Template {
  const key = expression(reader)
  expect(reader, ']')
  return key
}

function step(target: Template, key: Template, optional: boolean): Template {
  return (scope) => {
    const owner = target(scope)
    const at = key(scope)
    const found = member(owner, at)
    if (found !== undefined) return found
    if (optional) return null
    throw new TemplateError(`"${String(at)}" not found`)
  }
}

function member(owner: unknown, key: unknown): unknown {
  if (Array.isArray(owner) && typeof key === 'number') return owner[key]
  if (owner === null || typeof owner !== 'object' || typeof key !== 'string') return undefined
  return Object.hasOwn(owner, key) ? Reflect.get(owner, key) : undefined
}

function primary(reader: Reader): Template {
  const token = take(reader)
  if (token.kind === 'number') return constant(token.value)
  if (token.kind === 'string') return text(token.pieces)
  if (token.kind === 'word') return word(reader, token.text)
  if (token.kind === 'symbol' && token.text === '{') return object(reader)
  if (token.kind === 'symbol' && token.text === '[') return array(reader)
  if (token.kind === 'symbol' && token.text === '(') {
    const inner = expression(reader)
    expect(reader, ')')
    return inner
  }
  reader.at -= 1
  throw unexpected(reader)
}

const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

function word(reader: Reader, text: string): Template {
  if (CONSTANTS.has(text)) return constant(CONSTANTS.get(text))
  const apply = FUNCTIONS.get(text)
  if (apply) {
    const argument = path(reader)
    return (scope) => apply(argument(scope), scope)
  }
  return (scope) => {
    if (Object.hasOwn(scope, text)) return scope[text]
    throw new TemplateError(`"${text}" is not defined`)
  }
}

function text(pieces: readonly (string | readonly Token[])[]): Template {
  const parts = pieces.map((piece) =>
    typeof piece === 'string' ? piece : readWhole(bracesOff(piece)),
  )
  return (scope) =>
    parts.map((part) => (typeof part === 'string' ? part : shown(part(scope)))).join('')
}

/** Puts the braces around an expression in a string, so that it is read like any other. */
function bracesOff(tokens: readonly Token[]): readonly Token[] {
  const open: Token = { kind: 'symbol', text: '{{', at: 0 }
  const close: Token = { kind: 'symbol', text: '}', at: 0 }
  return [open, ...tokens.slice(0, -1), close, close, ...tokens.slice(-1)]
}

function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function object(reader: Reader): Template {
  const entries: [Template, Template][] = []
  while (!accept(reader, '}')) {
    if (entries.length > 0) expect(reader, ',')
    const key = primary(reader)
    expect(reader, ':')
    entries.push([key, value(reader)])
  }
  return (scope) =>
    Object.fromEntries(entries.map(([key, inner]) => [String(key(scope)), inner(scope)]))
}

function array(reader: Reader): Template {
  const items: Template[] = []
  while (!accept(reader, ']')) {
    if (items.length > 0) expect(reader, ',')
    items.push(value(reader))
  }
  return (scope) => items.map((item) => item(scope))
}

function constant(value: unknown): Template {
  return () => value
}

function peek(reader: Reader): Token {
  return reader.tokens[reader.at] ?? { kind: 'end', at: 0 }
}

function take(reader: Reader): Token {
  const token = peek(reader)
  reader.at += 1
  return token
}

function accept(reader: Reader, symbol: string): boolean {
  const token = peek(reader)
  const found = token.kind === 'symbol' && token.text === symbol
  if (found) reader.at += 1
  return found
}

function acceptWord(reader: Reader, word: string): boolean {
  const token = peek(reader)
  const found = token.kind === 'word' && token.text === word
  if (found) reader.at += 1
  return found
}

function expect(reader: Reader, part: string) {
  if (!accept(reader, part) && !acceptWord(reader, part)) throw unexpected(reader, part)
}

/** `{{ end }}` */
function expectEnd(reader: Reader) {
  expect(reader, '{{')
  closeBranches(reader)
}

/** `end }}` */
function closeBranches(reader: Reader) {
  expect(reader, 'end')
  expectClose(reader)
}

/** Reads `}}`. It is two tokens, because it may also be the end of two objects. */
function expectClose(reader: Reader) {
  expect(reader, '}')
  expect(reader, '}')
}

function name(reader: Reader): string {
  const token = take(reader)
  if (token.kind === 'word') return token.text
  reader.at -= 1
  throw unexpected(reader, 'a name')
}

function unexpected(reader: Reader, wanted = 'a value'): TemplateError {
  const token = peek(reader)
  const found = 'text' in token ? `"${token.text}"` : token.kind
  return new TemplateError(`expected ${wanted} but found ${found} at ${token.at}`)
}
