import { parseNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { tokenize } from './lexer.ts'
import { type Branch, type Expression, OPERATORS } from './syntax.ts'
import { TemplateError, type TemplateSource } from './template-error.ts'
import {
  acceptName,
  acceptPart,
  acceptText,
  expectName,
  expectParts,
  nextIs,
  peekToken,
  type TokenReader,
  unexpectedToken,
} from './token-reader.ts'

/**
 * Parses a template, without evaluating it or looking up names.
 *
 * @throws TemplateError
 * @see https://github.com/hasura/kriti-lang src/Kriti/Parser/Grammar.y
 */
export function parseTemplate(source: TemplateSource): Expression {
  const reader = { source, tokens: tokenize(source), position: 0, depth: 0 }
  const expression = parseExpression(reader)
  if (peekToken(reader).kind !== 'end') throw unexpectedToken(reader)
  return expression
}

const MAX_DEPTH = 100

function tooDeep(reader: TokenReader): TemplateError {
  const reason = `Expressions are nested more than ${MAX_DEPTH} deep.`
  return new TemplateError(reader.source, { code: 'Parse Error', reason, span: peekToken(reader) })
}

/**
 * Parses an expression. It has at most one operator, so `a && b && c` needs parentheses. A call before an operator needs parentheses,
 * too. `not` applies to the whole expression after it.
 */
function parseExpression(reader: TokenReader): Expression {
  if (reader.depth === MAX_DEPTH) throw tooDeep(reader)
  reader.depth += 1
  const expression = parseNested(reader)
  reader.depth -= 1
  return expression
}

function parseNested(reader: TokenReader): Expression {
  const { start } = peekToken(reader)
  if (nextIs(reader, '{{') && !nextIs(reader, 'if', 1) && !nextIs(reader, 'range', 1)) {
    expectParts(reader, '{{')
    const inner = parseExpression(reader)
    expectParts(reader, '}}')
    return inner
  }
  if (acceptPart(reader, 'not'))
    return addSpan(reader, start, { kind: 'call', name: 'not', argument: parseExpression(reader) })
  if (peekToken(reader).kind === 'word' && nextIs(reader, '(', 1)) return parseCall(reader)
  const left = parseAtom(reader)
  const operator = OPERATORS.find((candidate) => acceptPart(reader, candidate))
  if (operator === undefined) return left
  return addSpan(reader, start, { kind: 'operation', operator, left, right: parseAtom(reader) })
}

function parseCall(reader: TokenReader): Expression {
  const { text: name, start } = expectName(reader)
  expectParts(reader, '(')
  const argument = parseExpression(reader)
  expectParts(reader, ')')
  return addSpan(reader, start, { kind: 'call', name, argument })
}

/** Parses a value with the steps to its members. */
function parseAtom(reader: TokenReader): Expression {
  const { start } = peekToken(reader)
  let target = parsePrimary(reader)
  for (let steps = 0; ; steps += 1) {
    if (steps === MAX_DEPTH) throw tooDeep(reader)
    if (acceptPart(reader, '?')) {
      const keys: Expression[] = []
      for (let key = acceptKey(reader); key; key = acceptKey(reader)) keys.push(key)
      target = addSpan(reader, start, { kind: 'optional', target, keys })
    } else {
      const key = acceptKey(reader)
      if (key === null) return target
      target = addSpan(reader, start, { kind: 'member', target, key })
    }
  }
}

/** Parses `.name`, `['text']` or `[value]`. Returns null if the next token begins none of them. */
function acceptKey(reader: TokenReader): Expression | null {
  if (acceptPart(reader, '.')) {
    const { text, start, end } = expectName(reader)
    return { kind: 'constant', value: text, start, end }
  }
  if (!acceptPart(reader, '[')) return null
  const key = acceptPart(reader, "'") ? parseLiteral(reader) : parseAtom(reader)
  expectParts(reader, ']')
  return key
}

function parseLiteral(reader: TokenReader): Expression {
  const token = acceptText(reader)
  if (token === null) throw unexpectedToken(reader)
  expectParts(reader, "'")
  const { text, start, end } = token
  return { kind: 'constant', value: text, start, end }
}

function parsePrimary(reader: TokenReader): Expression {
  const { kind, text, start, end } = peekToken(reader)
  if (kind === 'number' || kind === 'boolean') {
    reader.position += 1
    return {
      kind: 'constant',
      value: kind === 'number' ? parseNumeral(text) : text === 'true',
      start,
      end,
    }
  }
  if (acceptPart(reader, 'null')) return { kind: 'constant', value: null, start, end }
  if (acceptPart(reader, '"')) return parseText(reader, start)
  if (acceptPart(reader, '[')) return parseList(reader, start)
  if (acceptPart(reader, '{')) return parseObject(reader, start)
  if (acceptPart(reader, '(')) {
    const inner = parseExpression(reader)
    expectParts(reader, ')')
    return inner
  }
  if (acceptPart(reader, '{{'))
    return nextIs(reader, 'if') ? parseConditional(reader, start) : parseRange(reader, start)
  const name = acceptName(reader)
  if (name === null) throw unexpectedToken(reader)
  return { kind: 'name', name: text, start, end }
}

/** Parses a text after its opening quote. */
function parseText(reader: TokenReader, start: number): Expression {
  const pieces: Expression[] = []
  while (!acceptPart(reader, '"')) {
    const token = acceptText(reader)
    if (token)
      pieces.push({ kind: 'constant', value: token.text, start: token.start, end: token.end })
    else {
      expectParts(reader, '{{')
      pieces.push(parseExpression(reader))
      expectParts(reader, '}}')
    }
  }
  return addSpan(reader, start, { kind: 'text', pieces })
}

function parseList(reader: TokenReader, start: number): Expression {
  const items: Expression[] = []
  while (!acceptPart(reader, ']')) {
    if (items.length > 0) expectParts(reader, ',')
    items.push(parseExpression(reader))
  }
  return addSpan(reader, start, { kind: 'list', items })
}

/** Parses an object. Keys are texts without expressions. The first value of a repeated key wins. */
function parseObject(reader: TokenReader, start: number): Expression {
  const fields = new Map<string, Expression>()
  for (let isFirst = true; !acceptPart(reader, '}'); isFirst = false) {
    if (!isFirst) expectParts(reader, ',')
    expectParts(reader, '"')
    const key = acceptText(reader)?.text ?? ''
    expectParts(reader, '"', ':')
    const value = parseExpression(reader)
    if (!fields.has(key)) fields.set(key, value)
  }
  return addSpan(reader, start, { kind: 'object', fields })
}

/** Parses the rest of a condition after `{{`, up to `{{ end }}`: `if`, any number of `elif`, and the required `else`. */
function parseConditional(reader: TokenReader, start: number): Expression {
  const branches: Branch[] = []
  expectParts(reader, 'if')
  do {
    const condition = parseExpression(reader)
    expectParts(reader, '}}')
    branches.push({ condition, body: parseExpression(reader) })
    expectParts(reader, '{{')
  } while (acceptPart(reader, 'elif'))
  expectParts(reader, 'else', '}}')
  const otherwise = parseExpression(reader)
  expectParts(reader, '{{', 'end', '}}')
  return addSpan(reader, start, { kind: 'if', branches, otherwise })
}

/** Parses the rest of a loop after `{{`: `range index, item := list }} body {{ end }}`. The loop's value is a list. */
function parseRange(reader: TokenReader, start: number): Expression {
  expectParts(reader, 'range')
  const index = acceptPart(reader, '_') ? null : expectName(reader).text
  expectParts(reader, ',')
  const item = expectName(reader).text
  expectParts(reader, ':=')
  const list = parseExpression(reader)
  expectParts(reader, '}}')
  const body = parseExpression(reader)
  expectParts(reader, '{{', 'end', '}}')
  return addSpan(reader, start, { kind: 'range', index, item, list, body })
}

/** Adds the position to an expression: from `start` to the end of the last consumed token. */
function addSpan<T>(reader: TokenReader, start: number, expression: T) {
  return { ...expression, start, end: peekToken(reader, -1).end }
}
