import { validationError } from '../../../errors.ts'
import { exactJsonOrNull } from '../../../json/json-or-null.ts'
import { isRecord } from '../../../json/record.ts'
import type { Connection, Predicate, Scalar } from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import type { Variables } from '../decision.ts'
import { isGiven } from '../document/input.ts'
import { fieldArguments, type Selected } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { PlacedOrder } from '../read/order.ts'
import { isWithoutNulls } from '../read/strategy.ts'
import { base64Bytes } from './base64.ts'
import { encodedValue } from './encoded-value.ts'
import { planText } from './text-argument.ts'

type Ordered = { sorted: readonly PlacedOrder[]; table: Table }

/** Plans `after` and `before`: which rows are on the asked side of the cursor. */
export function planSplit(
  planner: Planner,
  one: Selected,
  { sorted, table }: Ordered,
): Connection['split'] {
  const args = fieldArguments(planner, one)
  const path = `${one.path}.args`
  const [after, before] = [args('after'), args('before')]
  const [isAfter, isBefore] = [isGiven(planner, after), isGiven(planner, before)]
  const afterText = isAfter ? planText(planner, after) : null
  const beforeText = isBefore ? planText(planner, before) : null
  if (afterText && beforeText)
    throw validationError(path, '"after" and "before" are not allowed at once')
  const text = afterText ?? beforeText
  if (text === null) return null
  const side = afterText ? 'after' : 'before'
  const readCursor = cursorReader(text, path)
  const values = sorted.map((order) => placeInCursor(planner, readCursor, order, path))
  return { side, ...sidesOf({ sorted, table }, values, side) }
}

type ReadCursor = (variables: Variables) => unknown

/** Reads the cursor of a request; each of its values is read alone, so the last cursor is kept. */
function cursorReader(text: (variables: Variables) => string, path: string): ReadCursor {
  let last: { text: string; cursor: unknown } | null = null
  return (variables) => {
    const given = text(variables)
    if (last?.text === given) return last.cursor
    const cursor = exactJsonOrNull(base64Bytes(given).toString())
    if (!isRecord(cursor)) throw invalidCursor(path)
    last = { text: given, cursor }
    return cursor
  }
}

function invalidCursor(path: string) {
  return validationError(path, 'the "after" or "before" cursor is invalid')
}

/** The cursor's value for one expression of the order, checked like a value that a request gives. */
function placeInCursor(
  { variables }: Planner,
  readCursor: ReadCursor,
  { place, type }: PlacedOrder,
  path: string,
): Scalar {
  const read = (given: Variables) => {
    const value = place.reduce<unknown>((at, name) => memberOf(at, name, path), readCursor(given))
    return encodedValue(type, value, (reason) => validationError(path, reason))
  }
  // Read once now, so that of several wrong values the first is told.
  read(variables)
  return { kind: 'parameter', parameter: { type, read: (bound) => read(bound.variables) } }
}

function memberOf(value: unknown, name: string, path: string): unknown {
  if (!isRecord(value) || !Object.hasOwn(value, name)) throw invalidCursor(path)
  return value[name]
}

type Sides = { where: Predicate; others: Predicate }

/**
 * The rows on both sides of the cursor. Where the order has one direction and no nulls, rows are compared as a whole, for
 * which PostgreSQL can read an index from there.
 */
function sidesOf(
  { sorted, table }: Ordered,
  values: readonly Scalar[],
  side: 'after' | 'before',
): Sides {
  const operators = sorted.map(({ direction }): '_gt' | '_lt' =>
    (direction === 'asc') === (side === 'after') ? '_gt' : '_lt',
  )
  const [operator = '_gt'] = operators
  const isUniform = operators.every((one) => one === operator)
  if (isUniform && isWithoutNulls(sorted, table)) {
    const [left, right] = [rowOf(sorted.map(({ by }) => by)), rowOf(values)]
    const other = operator === '_gt' ? '_lte' : '_gte'
    return {
      where: { kind: 'compare', operator, left, right },
      others: { kind: 'compare', operator: other, left, right },
    }
  }
  const where = compareInTurn(sorted, values, operators)
  return { where, others: { kind: 'unless', of: where } }
}

/** Several expressions as one. */
function rowOf(all: readonly Scalar[]): Scalar {
  const [only, second] = all
  return only && !second ? only : { kind: 'row', of: all }
}

/** Compares by each expression of the order where those before it are equal. */
function compareInTurn(
  sorted: readonly PlacedOrder[],
  values: readonly Scalar[],
  operators: readonly ('_gt' | '_lt')[],
): Predicate {
  return sorted.reduceRight<Predicate>((rest, { by: left }, i) => {
    const [right, beyond] = [values[i], operators[i]]
    if (!right || !beyond) return rest
    const isBeyond = { kind: 'compare', operator: beyond, left, right } as const
    if (i === sorted.length - 1) return isBeyond
    const isEqual = { kind: 'compare', operator: '_eq', left, right } as const
    return { kind: 'or', any: [isBeyond, { kind: 'and', all: [isEqual, rest] }] }
  }, NOTHING)
}

const NOTHING: Predicate = { kind: 'or', any: [] }
