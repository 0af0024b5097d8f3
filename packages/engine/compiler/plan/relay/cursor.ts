import { validationError } from '../../../errors.ts'
import { exactJsonOrNull } from '../../../json/json-or-null.ts'
import { isRecord } from '../../../json/record.ts'
import type { Connection, Predicate, Scalar } from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import type { Variables } from '../decision.ts'
import { isPresent } from '../document/input.ts'
import { fieldArguments, type SelectedField } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { CursorOrder } from '../read/order.ts'
import { isWithoutNulls } from '../read/strategy.ts'
import { base64Bytes } from './base64.ts'
import { encodeOrThrow } from './encoded-value.ts'
import { planText } from './text-argument.ts'

type SortedTable = { sorted: readonly CursorOrder[]; table: Table }

/** Plans `after` and `before`: the rows on the requested side of the cursor, and the rows on the other side. */
export function planSplit(
  planner: Planner,
  selection: SelectedField,
  { sorted, table }: SortedTable,
): Connection['split'] {
  const args = fieldArguments(planner, selection)
  const path = `${selection.path}.args`
  const [after, before] = [args('after'), args('before')]
  const [isAfter, isBefore] = [isPresent(planner, after), isPresent(planner, before)]
  const afterText = isAfter ? planText(planner, after) : null
  const beforeText = isBefore ? planText(planner, before) : null
  if (afterText && beforeText)
    throw validationError(path, '"after" and "before" are not allowed at once')
  const text = afterText ?? beforeText
  if (text === null) return null
  const side = afterText ? 'after' : 'before'
  const readCursor = cursorReader(text, path)
  const values = sorted.map((order) => cursorValue(planner, readCursor, order, path))
  return { side, ...sidesOf({ sorted, table }, values, side) }
}

type ReadCursor = (variables: Variables) => unknown

/**
 * Creates a function that reads a request's cursor. It keeps the last cursor, because each value of a cursor is read
 * separately.
 */
function cursorReader(text: (variables: Variables) => string, path: string): ReadCursor {
  let last: { text: string; cursor: unknown } | null = null
  return (variables) => {
    const cursorText = text(variables)
    if (last?.text === cursorText) return last.cursor
    const cursor = exactJsonOrNull(base64Bytes(cursorText).toString())
    if (!isRecord(cursor)) throw invalidCursor(path)
    last = { text: cursorText, cursor }
    return cursor
  }
}

function invalidCursor(path: string) {
  return validationError(path, 'the "after" or "before" cursor is invalid')
}

/** Plans the cursor's value for an expression of the order. The value is checked like any value in a request. */
function cursorValue(
  { variables }: Planner,
  readCursor: ReadCursor,
  { cursorPath: place, type }: CursorOrder,
  path: string,
): Scalar {
  const readValue = (requestVariables: Variables) => {
    const value = place.reduce<unknown>(
      (parent, name) => memberOf(parent, name, path),
      readCursor(requestVariables),
    )
    return encodeOrThrow(type, value, (reason) => validationError(path, reason))
  }
  // Reads the value once during planning, so that the first of several wrong values is reported.
  readValue(variables)
  return {
    kind: 'parameter',
    parameter: { type, read: (bindings) => readValue(bindings.variables) },
  }
}

function memberOf(value: unknown, name: string, path: string): unknown {
  if (!isRecord(value) || !Object.hasOwn(value, name)) throw invalidCursor(path)
  return value[name]
}

type Sides = { where: Predicate; opposite: Predicate }

/**
 * Plans the rows on both sides of the cursor. If the order has a single direction and no nulls, rows are compared as a
 * whole. PostgreSQL can then start to read an index at the cursor.
 */
function sidesOf(
  { sorted, table }: SortedTable,
  values: readonly Scalar[],
  side: 'after' | 'before',
): Sides {
  const operators = sorted.map(({ direction }): '_gt' | '_lt' =>
    (direction === 'asc') === (side === 'after') ? '_gt' : '_lt',
  )
  const [operator = '_gt'] = operators
  const isUniform = operators.every((candidate) => candidate === operator)
  if (isUniform && isWithoutNulls(sorted, table)) {
    const [left, right] = [rowOf(sorted.map(({ by }) => by)), rowOf(values)]
    const oppositeOperator = operator === '_gt' ? '_lte' : '_gte'
    return {
      where: { kind: 'compare', operator, left, right },
      opposite: { kind: 'compare', operator: oppositeOperator, left, right },
    }
  }
  const where = compareLexically(sorted, values, operators)
  return { where, opposite: { kind: 'isNotTrue', of: where } }
}

/** Combines several expressions into a row. */
function rowOf(all: readonly Scalar[]): Scalar {
  const [first, second] = all
  return first && !second ? first : { kind: 'row', of: all }
}

/** Compares lexicographically: by each expression of the order where all earlier expressions are equal. */
function compareLexically(
  sorted: readonly CursorOrder[],
  values: readonly Scalar[],
  operators: readonly ('_gt' | '_lt')[],
): Predicate {
  return sorted.reduceRight<Predicate>((tail, { by: left }, i) => {
    const [right, operator] = [values[i], operators[i]]
    if (!right || !operator) return tail
    const isBeyond = { kind: 'compare', operator: operator, left, right } as const
    if (i === sorted.length - 1) return isBeyond
    const isEqual = { kind: 'compare', operator: '_eq', left, right } as const
    return { kind: 'or', operands: [isBeyond, { kind: 'and', operands: [isEqual, tail] }] }
  }, NOTHING)
}

const NOTHING: Predicate = { kind: 'or', operands: [] }
