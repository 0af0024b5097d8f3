import { isList } from '../json/record.ts'
import {
  binaryTemplate,
  conditionHolds,
  FUNCTIONS,
  type Template,
  type TemplateScope,
} from './kriti-functions.ts'
import {
  acceptSymbol,
  acceptWord,
  expectBraces,
  expectBranchesEnd,
  expectEnd,
  expectPart,
  peekToken,
  type Reader,
  readName,
  takeToken,
  unexpectedToken,
} from './kriti-reader.ts'
import { TemplateError, type Token, tokenize, tokenizeText } from './kriti-tokens.ts'

/**
 * Reads a Kriti template: JSON in which `{{ … }}` stands for values.
 *
 * @throws TemplateError
 * @see https://github.com/hasura/kriti-lang
 */
export function jsonTemplate(text: string): Template {
  return readTemplate(tokenize(text))
}

/**
 * Reads a text in which `{{ … }}` stands for values: a URL, a header, a query parameter.
 *
 * @throws TemplateError
 */
export function textTemplate(text: string): (scope: TemplateScope) => string {
  const template = readTemplate(tokenizeText(text))
  return (scope) => String(template(scope))
}

function readTemplate(tokens: readonly Token[]): Template {
  const reader = { tokens, at: 0 }
  const template = readValue(reader)
  if (peekToken(reader).kind !== 'end') throw unexpectedToken(reader)
  return template
}

/** A value: JSON, or an expression in double braces. */
function readValue(reader: Reader): Template {
  if (!acceptSymbol(reader, '{{')) return readPrimary(reader)
  if (acceptWord(reader, 'if')) return readConditional(reader)
  if (acceptWord(reader, 'range')) return readRange(reader)
  const inner = readExpression(reader)
  expectBraces(reader)
  return inner
}

/** Reads what follows `{{ if`. Branches are values; `elif` is an `if` in the `else` branch. */
function readConditional(reader: Reader): Template {
  const condition = readExpression(reader)
  expectBraces(reader)
  const then = readValue(reader)
  expectPart(reader, '{{')
  const otherwise = readAlternative(reader)
  return (scope) => (conditionHolds(condition(scope)) ? then(scope) : otherwise(scope))
}

function readAlternative(reader: Reader): Template {
  if (acceptWord(reader, 'elif')) return readConditional(reader)
  if (!acceptWord(reader, 'else')) {
    expectBranchesEnd(reader)
    return () => null
  }
  expectBraces(reader)
  const last = readValue(reader)
  expectEnd(reader)
  return last
}

/** Reads what follows `{{ range`: `i, x := list }} value {{ end }}`, which makes a list. */
function readRange(reader: Reader): Template {
  const index = readName(reader)
  expectPart(reader, ',')
  const item = readName(reader)
  expectPart(reader, ':=')
  const list = readExpression(reader)
  expectBraces(reader)
  const body = readValue(reader)
  expectEnd(reader)
  return (scope) => {
    const items = list(scope)
    if (!isList(items)) throw new TemplateError('range needs a list')
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

function readExpression(reader: Reader, level = 0): Template {
  const operators = PRECEDENCE[level]
  if (!operators) return readPath(reader)
  let left = readExpression(reader, level + 1)
  for (
    let operator = readOperator(reader, operators);
    operator;
    operator = readOperator(reader, operators)
  ) {
    left = binaryTemplate(operator, left, readExpression(reader, level + 1))
  }
  return left
}

function readOperator(reader: Reader, operators: readonly string[]): string | undefined {
  return operators.find(
    (operator) => acceptSymbol(reader, operator) || acceptWord(reader, operator),
  )
}

/**
 * A value with steps into it:
 * `.x`, `['x']`, `[0]`; `?.x` and `?['x']` give null if there is no such member.
 */
function readPath(reader: Reader): Template {
  let target = readPrimary(reader)
  for (;;) {
    if (acceptSymbol(reader, '.'))
      target = memberTemplate(target, constantTemplate(readName(reader)), false)
    else if (acceptSymbol(reader, '?.'))
      target = memberTemplate(target, constantTemplate(readName(reader)), true)
    else if (acceptSymbol(reader, '['))
      target = memberTemplate(target, readBracketed(reader), false)
    else if (acceptSymbol(reader, '?['))
      target = memberTemplate(target, readBracketed(reader), true)
    else return target
  }
}

function readBracketed(reader: Reader): Template {
  const key = readExpression(reader)
  expectPart(reader, ']')
  return key
}

function memberTemplate(target: Template, key: Template, optional: boolean): Template {
  return (scope) => {
    const owner = target(scope)
    const at = key(scope)
    const found = ownMember(owner, at)
    if (found !== undefined) return found
    if (optional) return null
    throw new TemplateError(`"${String(at)}" not found`)
  }
}

function ownMember(owner: unknown, key: unknown): unknown {
  if (Array.isArray(owner) && typeof key === 'number') return owner[key]
  if (owner === null || typeof owner !== 'object' || typeof key !== 'string') return undefined
  return Object.hasOwn(owner, key) ? Reflect.get(owner, key) : undefined
}

function readPrimary(reader: Reader): Template {
  const token = takeToken(reader)
  if (token.kind === 'number') return constantTemplate(token.value)
  if (token.kind === 'string') return joinedTemplate(token.pieces)
  if (token.kind === 'word') return readWord(reader, token.text)
  if (token.kind === 'symbol' && token.text === '{') return readObject(reader)
  if (token.kind === 'symbol' && token.text === '[') return readArray(reader)
  if (token.kind === 'symbol' && token.text === '(') {
    const inner = readExpression(reader)
    expectPart(reader, ')')
    return inner
  }
  reader.at -= 1
  throw unexpectedToken(reader)
}

const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

function readWord(reader: Reader, text: string): Template {
  if (CONSTANTS.has(text)) return constantTemplate(CONSTANTS.get(text))
  const apply = FUNCTIONS.get(text)
  if (apply) {
    const argument = readPath(reader)
    return (scope) => apply(argument(scope), scope)
  }
  return (scope) => {
    if (Object.hasOwn(scope, text)) return scope[text]
    throw new TemplateError(`"${text}" is not defined`)
  }
}

function joinedTemplate(pieces: readonly (string | readonly Token[])[]): Template {
  const parts = pieces.map((piece) =>
    typeof piece === 'string' ? piece : readTemplate(withBraces(piece)),
  )
  return (scope) =>
    parts.map((part) => (typeof part === 'string' ? part : valueText(part(scope)))).join('')
}

/** Puts the braces around an expression in a string, so that it is read like any other. */
function withBraces(tokens: readonly Token[]): readonly Token[] {
  const open: Token = { kind: 'symbol', text: '{{', at: 0 }
  const close: Token = { kind: 'symbol', text: '}', at: 0 }
  return [open, ...tokens.slice(0, -1), close, close, ...tokens.slice(-1)]
}

function valueText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function readObject(reader: Reader): Template {
  const entries: [Template, Template][] = []
  while (!acceptSymbol(reader, '}')) {
    if (entries.length > 0) expectPart(reader, ',')
    const key = readPrimary(reader)
    expectPart(reader, ':')
    entries.push([key, readValue(reader)])
  }
  return (scope) =>
    Object.fromEntries(entries.map(([key, inner]) => [String(key(scope)), inner(scope)]))
}

function readArray(reader: Reader): Template {
  const items: Template[] = []
  while (!acceptSymbol(reader, ']')) {
    if (items.length > 0) expectPart(reader, ',')
    items.push(readValue(reader))
  }
  return (scope) => items.map((item) => item(scope))
}

function constantTemplate(value: unknown): Template {
  return () => value
}
