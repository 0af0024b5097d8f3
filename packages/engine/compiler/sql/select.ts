import { ident, type Sql, sql } from '../../postgres/sql.ts'
import type { Aggregate, AggregatePart, Field, List, NumberPart, Shape } from '../ir/ir.ts'
import { printConnection } from './connection.ts'
import { printAggregateCall, printDistinctOn, printRows, printScalar } from './expression.ts'
import { printFailure } from './fail-mutation.ts'
import {
  inlineObject,
  joinedRow,
  jsonArray,
  jsonObject,
  jsonRow,
  type Pair,
  printColumns,
  printText,
  ROW,
  rowValue,
} from './json-object.ts'
import { innerScope, type Scope, WHOLE_ROW } from './scope.ts'

/** Prints a shape as a JSON value for the row of the scope. */
export function printShape(shape: Shape, scope: Scope): Sql {
  switch (shape.kind) {
    case 'scalar': {
      const value = printScalar(shape.value, scope)
      return shape.text ? sql`(${value})::text` : value
    }
    case 'typename':
      return printText(shape.name)
    case 'object':
      return printOne(shape, scope)
    case 'list':
      return printList(shape, scope)
    case 'aggregate':
      return printAggregate(shape, scope)
    case 'connection':
      return printConnection(shape, scope, { printFields, notOneRow: null })
  }
}

/**
 * Prints the value of a root field. An aggregate or a page without a selection fails unless there is exactly one row,
 * as in Hasura.
 */
export function printRootShape(shape: Shape, scope: Scope): Sql {
  const notOneRow = printFailure('notOneRow', 'Rows returned != 1')
  if (shape.kind === 'connection') return printConnection(shape, scope, { printFields, notOneRow })
  if (shape.kind !== 'aggregate' || !isEmpty(shape.parts)) return printShape(shape, scope)
  const { rows, join: on, parts } = shape
  const rowScope = innerScope(scope)
  const object = jsonObject(
    printParts(parts, rowScope, { cap: null, sorted: false, node: inlineNode(rowScope) }),
  )
  const selectedRows = sql`select ${printRows(rows, on, { scope, rowScope })}`
  return sql`(select case count(*) when 1 then ${object} else (${notOneRow})::json end from (${selectedRows}) ${ROW})`
}

/** Returns the keys of an object and the SQL of their values, for the row of the scope. */
export function printFields(fields: readonly Field[], scope: Scope): Pair[] {
  return fields.map((field) => ({ key: field.as, value: printShape(field, scope) }))
}

function printOne(
  { rows, join: on, fields }: Extract<Shape, { kind: 'object' }>,
  scope: Scope,
): Sql {
  const rowScope = innerScope(scope)
  const first = { ...rows, cap: Math.min(rows.cap ?? 1, 1) }
  return jsonRow(printFields(fields, rowScope), printRows(first, on, { scope, rowScope }))
}

function printList({ rows, join: on, fields, joinsLookUps }: List, scope: Scope): Sql {
  const rowScope = innerScope(scope)
  if (!joinsLookUps) {
    const from = printRows(rows, on, { scope, rowScope })
    return jsonArray(printFields(fields, rowScope), from, printDistinctOn(rows, rowScope))
  }
  const joins: Sql[] = []
  const pairs = fields.map((field) => ({
    key: field.as,
    value: printFieldOrJoin(field, rowScope, joins),
  }))
  const extraJoin = joins.reduce((all, join) => sql`${all}${join}`, sql``)
  return jsonArray(pairs, printRows(rows, on, { scope, rowScope, extraJoin }), sql``)
}

/** Prints a field. If the field is a look-up, adds a join to `joins`, and reads the field from the joined row. */
function printFieldOrJoin(field: Field, scope: Scope, joins: Sql[]): Sql {
  if (field.kind !== 'object' || !field.isLookUp) return printShape(field, scope)
  const rowScope = innerScope(scope)
  const as = innerScope(scope).row
  const from = printRows(field.rows, field.join, { scope, rowScope })
  joins.push(joinedRow(printFields(field.fields, rowScope), from, as))
  return sql`${as}.${ident('object')}`
}

function printAggregate({ rows, join: on, parts, input }: Aggregate, scope: Scope): Sql {
  const { cap } = rows
  const rowScope = innerScope(scope)
  // A permission's limit applies only to `nodes`. The aggregates cover all rows that the permission's filter allows.
  const all = { ...rows, cap: null }
  switch (input.kind) {
    case 'nodes': {
      const pairs = printFields(input.fields, rowScope)
      const object = jsonObject(
        printParts(parts, rowScope, { cap, sorted: false, node: () => rowValue(pairs) }),
      )
      const selectedRows = sql`select ${printDistinctOn(rows, rowScope)}${printColumns(pairs)} ${printRows(all, on, { scope, rowScope })}`
      return sql`(select ${object} from (${selectedRows}) ${ROW})`
    }
    case 'rows': {
      const object = jsonObject(
        printParts(parts, rowScope, { cap, sorted: false, node: inlineNode(rowScope) }),
      )
      return sql`(select ${object} ${printRows(all, on, { scope, rowScope })}${toOneRow(parts)})`
    }
    default: {
      const base = innerScope(scope)
      const of = { ...base, wholeRow: sql`${base.row}.${WHOLE_ROW}` }
      const selectedRows = sql`select ${printDistinctOn(rows, rowScope)}${rowScope.row}.*, ${rowScope.row} as ${WHOLE_ROW} ${printRows(all, on, { scope, rowScope })}`
      const numberedRows = sql`select ${rowScope.row}.*, row_number() over () as ${NUMBER} from (${selectedRows}) ${rowScope.row}`
      const sorted = input.kind === 'numberedRows' && input.sortsNodes
      const object = jsonObject(printParts(parts, of, { cap, sorted, node: inlineNode(of) }))
      const from = input.kind === 'numberedRows' ? numberedRows : selectedRows
      return sql`(select ${object} from (${from}) ${base.row}${toOneRow(parts)})`
    }
  }
}

const NUMBER = ident('row number')

/**
 * Prints the end of the select, which leaves a single row if no aggregate function is selected. If `__typename` is
 * selected, all rows become one group, as in Hasura. If nothing is selected, the select returns the same result for
 * each row, so only the first row is read.
 */
function toOneRow(parts: readonly AggregatePart[]): Sql {
  if (parts.some(hasAggregate)) return sql``
  return isEmpty(parts) ? sql` limit 1` : sql` group by ()`
}

function hasAggregate(part: AggregatePart): boolean {
  return part.kind === 'numbers' ? part.numbers.some(isAggregateNumber) : part.kind === 'nodes'
}

function isEmpty(parts: readonly (AggregatePart | NumberPart)[]): boolean {
  return parts.every((part) => 'numbers' in part && isEmpty(part.numbers))
}

function isAggregateNumber(number: NumberPart): boolean {
  return number.kind === 'group'
    ? number.numbers.some(isAggregateNumber)
    : number.kind !== 'typename'
}

type Nodes = {
  cap: number | null
  /** True if the rows are numbered because aggregation changes their order. */
  sorted: boolean
  /** Prints a node as a value over the aggregated rows. */
  node(fields: readonly Field[]): Sql
}

function inlineNode(scope: Scope): Nodes['node'] {
  return (fields) => inlineObject(printFields(fields, scope))
}

function printParts(parts: readonly AggregatePart[], scope: Scope, nodes: Nodes): Pair[] {
  return parts.map((part) => ({ key: part.as, value: printPart(part, scope, nodes) }))
}

function printPart(part: AggregatePart, scope: Scope, { cap, sorted, node }: Nodes): Sql {
  if (part.kind === 'typename') return printText(part.name)
  if (part.kind === 'numbers') return jsonObject(printNumbers(part.numbers, scope))
  const number = sql`${scope.row}.${NUMBER}`
  const rows = sql`json_agg(${node(part.fields)}${sorted ? sql` order by ${number}` : sql``})`
  if (cap === null) return sql`coalesce(${rows}, '[]')`
  const limit = printText(String(cap))
  return sql`coalesce(${rows} filter (where ${number} <= ${limit}::bigint), '[]')`
}

function printNumbers(numbers: readonly NumberPart[], scope: Scope): Pair[] {
  return numbers.map((number) => ({ key: number.as, value: printNumber(number, scope) }))
}

function printNumber(number: NumberPart, scope: Scope): Sql {
  if (number.kind === 'typename') return printText(number.name)
  if (number.kind === 'group') return jsonObject(printNumbers(number.numbers, scope))
  const value = printAggregateCall(number.call, scope)
  return number.text ? sql`(${value})::text` : value
}
