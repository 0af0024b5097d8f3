import type { AggregatePart, Field, NumberPart, Rows, Shape } from '../ir/ir.ts'
import { ident, join, type Sql, sql } from '../postgres/sql.ts'
import { printFold, printRows, printScalar } from './expression.ts'
import {
  columns,
  joinedRow,
  jsonArray,
  jsonInline,
  jsonObject,
  jsonRow,
  type Pair,
  ROW,
  rowValue,
  textOf,
} from './object.ts'
import { inner, type Scope, WHOLE } from './scope.ts'

/** A shape as one JSON value for the row of the scope. */
export function printShape(shape: Shape, scope: Scope): Sql {
  switch (shape.kind) {
    case 'scalar': {
      const value = printScalar(shape.value, scope)
      return shape.text ? sql`(${value})::text` : value
    }
    case 'typename':
      return textOf(shape.name)
    case 'one':
      return printOne(shape, scope)
    case 'many':
      return printMany(shape, scope)
    case 'aggregate':
      return printAggregate(shape, scope)
  }
}

/** The keys and values of an object for the row of the scope. */
export function printFields(fields: readonly Field[], scope: Scope): Pair[] {
  return fields.map((field) => ({ key: field.as, value: printShape(field, scope) }))
}

function printOne({ rows, join: on, fields }: Extract<Shape, { kind: 'one' }>, scope: Scope): Sql {
  const there = inner(scope)
  return jsonRow(printFields(fields, there), printRows(rows, on, { scope, there }))
}

function printMany(
  { rows, join: on, fields }: Extract<Shape, { kind: 'many' }>,
  scope: Scope,
): Sql {
  const there = inner(scope)
  if (!isCutEarly(rows)) {
    const from = printRows(rows, on, { scope, there })
    return jsonArray(printFields(fields, there), from, distinctOn(rows, there))
  }
  const joins: Sql[] = []
  const pairs = fields.map((field) => ({ key: field.as, value: printBeside(field, there, joins) }))
  const beside = joins.reduce((all, one) => sql`${all}${one}`, sql``)
  return jsonArray(pairs, printRows(rows, on, { scope, there, beside }), sql``)
}

/**
 * Whether the planner knows how many rows are read, and can stop there. Then related rows can be joined, and it
 * may hash a small table instead of looking up each row; otherwise it might join all rows to show a few.
 */
function isCutEarly({ from, limit, cap, keyOrder, distinctOn }: Rows): boolean {
  const isBounded = limit === null ? cap !== null : limit.kind === 'whole'
  return keyOrder === true && isBounded && from.kind === 'table' && distinctOn.length === 0
}

function printBeside(field: Field, scope: Scope, joins: Sql[]): Sql {
  const isLookUp = field.kind === 'one' && field.unique && field.fields.every(isColumn)
  if (!isLookUp) return printShape(field, scope)
  const there = inner(scope)
  const as = inner(scope).row
  const from = printRows(field.rows, field.join, { scope, there })
  joins.push(joinedRow(printFields(field.fields, there), from, as))
  return sql`${as}.${ident('object')}`
}

function isColumn(field: Field): boolean {
  return field.kind === 'typename' || (field.kind === 'scalar' && field.value.kind === 'column')
}

function distinctOn({ distinctOn: scalars }: Rows, scope: Scope): Sql {
  if (scalars.length === 0) return sql``
  const printed = scalars.map((scalar, place) =>
    printScalar(scalar.kind === 'column' ? scalar : { kind: 'distinct', place }, scope),
  )
  return sql`distinct on (${join(printed, ', ')}) `
}

type Aggregate = Extract<Shape, { kind: 'aggregate' }>

function printAggregate({ rows, join: on, parts }: Aggregate, scope: Scope): Sql {
  // A permission's limit applies to `nodes` only; numbers are over all rows that the permission allows.
  const { cap } = rows
  const there = inner(scope)
  const all = { ...rows, cap: null }
  const nodes = cap === null ? countedNodes(parts) : null
  if (nodes) {
    const pairs = printFields(nodes.fields, there)
    const object = jsonObject(
      printParts(parts, there, { cap, sorted: false, node: () => rowValue(pairs) }),
    )
    const chosen = sql`select ${distinctOn(rows, there)}${columns(pairs)} ${printRows(all, on, { scope, there })}`
    return sql`(select ${object} from (${chosen}) ${ROW})`
  }
  if (isWhole(all) && cap === null) {
    const object = jsonObject(
      printParts(parts, there, { cap, sorted: false, node: inlined(there) }),
    )
    return sql`(select ${object} ${printRows(all, on, { scope, there })}${toOne(parts)})`
  }
  const base = inner(scope)
  const of = { ...base, whole: sql`${base.row}.${WHOLE}` }
  const chosen = sql`select ${distinctOn(rows, there)}${there.row}.*, ${there.row} as ${WHOLE} ${printRows(all, on, { scope, there })}`
  const numbered = sql`select ${there.row}.*, row_number() over () as ${NUMBER} from (${chosen}) ${there.row}`
  // A distinct aggregate makes Postgres sort the rows differently, so numbers keep the order for `nodes`.
  const sorted = rows.order.length > 0 && parts.some(isDistinct)
  const object = jsonObject(printParts(parts, of, { cap, sorted, node: inlined(of) }))
  const from = cap === null && !sorted ? chosen : numbered
  return sql`(select ${object} from (${from}) ${base.row}${toOne(parts)})`
}

const NUMBER = ident('row number')

/** The selected nodes, if besides them only `count` is selected: then no other column need be read. */
function countedNodes(parts: readonly AggregatePart[]) {
  const [nodes, ...others] = parts.filter((part) => part.kind === 'nodes')
  const numbers = parts.flatMap((part) => (part.kind === 'numbers' ? part.numbers : []))
  return nodes && others.length === 0 && numbers.every(isPlainCount) ? nodes : null
}

function isPlainCount(number: NumberPart): boolean {
  if (number.kind !== 'fold') return number.kind === 'typename'
  const { arguments: args, filter } = number.fold
  return args.length === 0 && filter === null
}

function isWhole({ order, limit, offset, distinctOn }: Rows): boolean {
  return order.length === 0 && limit === null && offset === null && distinctOn.length === 0
}

/** Makes all rows one row, even when no aggregate function is selected that would do so. */
function toOne(parts: readonly AggregatePart[]): Sql {
  const folds = parts.some((part) =>
    part.kind === 'numbers' ? part.numbers.some(isFold) : part.kind === 'nodes',
  )
  return folds ? sql`` : sql` group by ()`
}

function isDistinct(part: AggregatePart): boolean {
  return part.kind === 'numbers' && part.numbers.some(isDistinctFold)
}

function isDistinctFold(number: NumberPart): boolean {
  if (number.kind === 'group') return number.numbers.some(isDistinctFold)
  return number.kind === 'fold' && number.fold.distinct
}

function isFold(number: NumberPart): boolean {
  return number.kind === 'group' ? number.numbers.some(isFold) : number.kind !== 'typename'
}

type Nodes = {
  cap: number | null
  /** Whether the rows were numbered because aggregation changes their order. */
  sorted: boolean
  /** One node as a value over the rows that are aggregated. */
  node(fields: readonly Field[]): Sql
}

function inlined(scope: Scope): Nodes['node'] {
  return (fields) => jsonInline(printFields(fields, scope))
}

function printParts(parts: readonly AggregatePart[], scope: Scope, nodes: Nodes): Pair[] {
  return parts.map((part) => ({ key: part.as, value: printPart(part, scope, nodes) }))
}

function printPart(part: AggregatePart, scope: Scope, { cap, sorted, node }: Nodes): Sql {
  if (part.kind === 'typename') return textOf(part.name)
  if (part.kind === 'numbers') return jsonObject(printNumbers(part.numbers, scope))
  const number = sql`${scope.row}.${NUMBER}`
  const rows = sql`json_agg(${node(part.fields)}${sorted ? sql` order by ${number}` : sql``})`
  if (cap === null) return sql`coalesce(${rows}, '[]')`
  const limit = textOf(String(cap))
  return sql`coalesce(${rows} filter (where ${number} <= ${limit}::bigint), '[]')`
}

function printNumbers(numbers: readonly NumberPart[], scope: Scope): Pair[] {
  return numbers.map((number) => ({ key: number.as, value: printNumber(number, scope) }))
}

function printNumber(number: NumberPart, scope: Scope): Sql {
  if (number.kind === 'typename') return textOf(number.name)
  if (number.kind === 'group') return jsonObject(printNumbers(number.numbers, scope))
  const value = printFold(number.fold, scope)
  return number.text ? sql`(${value})::text` : value
}
