import { requireValue } from '../../../lib/runtime/require-value.ts'

/**
 * A simple and slow implementation of queries, which computes the expected responses. It keeps rows in arrays, uses SQL's three truth
 * values, and checks permissions at every step. It shares no code with the engine.
 */

export const TABLES = {
  a: { bs: { kind: 'array', table: 'b', column: 'id', relatedColumn: 'a_id' } },
  b: {
    a: { kind: 'object', table: 'a', column: 'a_id', relatedColumn: 'id' },
    cs: { kind: 'array', table: 'c', column: 'id', relatedColumn: 'b_id' },
  },
  c: { b: { kind: 'object', table: 'b', column: 'b_id', relatedColumn: 'id' } },
} as const

export type TableName = keyof typeof TABLES
type Link = { kind: 'array' | 'object'; table: TableName; column: string; relatedColumn: string }
export type Row = Readonly<Record<string, number | string | null>>
export type Rows = Readonly<Record<TableName, readonly Row[]>>

const OPERATORS = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte', '_in', '_nin', '_is_null'] as const
type Operator = (typeof OPERATORS)[number]

/** The value that a column is compared with; `session` means the caller's number. */
export type Operand = number | string | boolean | 'session' | readonly (number | string)[]
export type Expression =
  | { kind: 'and' | 'or'; parts: readonly Expression[] }
  | { kind: 'not'; part: Expression }
  | { kind: 'compare'; column: string; operator: Operator; operand: Operand }
  | { kind: 'related'; link: string; part: Expression }

export type Permission = {
  columns: readonly string[]
  filter: Expression
  limit: number | null
  aggregations: boolean
}
export type Permissions = Readonly<Record<TableName, Permission | null>>

export type Selection = {
  columns: readonly string[]
  links: readonly { link: string; of: TableQuery }[]
}
export type TableQuery = {
  where: Expression | null
  order: { column: string; direction: 'asc' | 'desc' } | null
  limit: number | null
  offset: number | null
  selection: Selection
}

export type World = { rows: Rows; permissions: Permissions; session: number }

/** Returns a table's link by name; null if the table has no such link. */
export function linkOf(table: TableName, name: string): Link | null {
  const links: Readonly<Record<string, Link>> = TABLES[table]
  return links[name] ?? null
}

/** Reports whether the role's schema allows a query. */
export function mayAsk(world: World, table: TableName, tableQuery: TableQuery): boolean {
  const { where, order, selection } = tableQuery
  const permission = world.permissions[table]
  if (!permission) return false
  if (where && !mayCompare(world, table, where)) return false
  if (order && !permission.columns.includes(order.column)) return false
  if (!selection.columns.every((column) => permission.columns.includes(column))) return false
  return selection.links.every(({ link, of }) => {
    const target = linkOf(table, link)
    return target !== null && mayAsk(world, target.table, of)
  })
}

function mayCompare(world: World, table: TableName, expression: Expression): boolean {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.parts.every((part) => mayCompare(world, table, part))
    case 'not':
      return mayCompare(world, table, expression.part)
    case 'compare':
      return world.permissions[table]?.columns.includes(expression.column) ?? false
    case 'related': {
      const link = linkOf(table, expression.link)
      if (!link || !world.permissions[link.table]) return false
      return mayCompare(world, link.table, expression.part)
    }
  }
}

/** Computes the expected rows of a query. */
export function expectedRows(world: World, table: TableName, tableQuery: TableQuery): unknown[] {
  return selectAmong(world, table, tableQuery, world.rows[table])
}

function selectAmong(
  world: World,
  table: TableName,
  tableQuery: TableQuery,
  among: readonly Row[],
): unknown[] {
  const cap = world.permissions[table]?.limit ?? null
  const bounds = [tableQuery.limit, cap].filter((bound) => bound !== null)
  return matchingRows(world, table, tableQuery, among)
    .slice(0, Math.min(...bounds, among.length))
    .map((row) => shapeRow(world, table, tableQuery, row))
}

/** Computes the expected count of an aggregate. A permission's limit does not apply to aggregates. */
export function expectedCount(world: World, table: TableName, tableQuery: TableQuery): number {
  const { length } = matchingRows(world, table, tableQuery, world.rows[table])
  return Math.min(tableQuery.limit ?? length, length)
}

/** Returns the visible rows that match the query, sorted, without the rows that the offset skips. */
function matchingRows(
  world: World,
  table: TableName,
  { where, order, offset }: TableQuery,
  among: readonly Row[],
): readonly Row[] {
  const place = { world, table, guarded: true }
  return among
    .filter((row) => isVisible(world, table, row))
    .filter((row) => where === null || truthOf(place, row, where) === true)
    .toSorted((x, y) => (order ? compareRows(x, y, order) : 0) || Number(x.id) - Number(y.id))
    .slice(offset ?? 0)
}

/** Reports whether the role may see a row. */
export function isVisible(world: World, table: TableName, row: Row): boolean {
  const permission = world.permissions[table]
  if (permission === null) return false
  return truthOf({ world, table, guarded: false }, row, permission.filter) === true
}

function compareRows(x: Row, y: Row, order: NonNullable<TableQuery['order']>): number {
  const [a, b] = [x[order.column] ?? null, y[order.column] ?? null]
  const sign = order.direction === 'asc' ? 1 : -1
  if (a === b) return 0
  // Null is the largest value: last in ascending order, first in descending order.
  if (a === null) return sign
  if (b === null) return -sign
  return a < b ? -sign : sign
}

function shapeRow(world: World, table: TableName, { selection }: TableQuery, row: Row): unknown {
  const columns = selection.columns.map((column) => [column, row[column] ?? null])
  const links = selection.links.map((link) => [link.link, linkedRows(world, table, row, link)])
  return Object.fromEntries([...columns, ...links])
}

function linkedRows(
  world: World,
  table: TableName,
  row: Row,
  { link, of }: { link: string; of: TableQuery },
): unknown {
  const target = requireValue(linkOf(table, link), `the link ${link}`)
  const relatedRows = world.rows[target.table].filter((other) => joinsRow(target, row, other))
  if (target.kind === 'array') return selectAmong(world, target.table, of, relatedRows)
  const visibleRow = relatedRows.find((other) => isVisible(world, target.table, other))
  return visibleRow ? shapeRow(world, target.table, of, visibleRow) : null
}

function joinsRow({ column, relatedColumn }: Link, row: Row, relatedRow: Row): boolean {
  return row[column] !== null && row[column] === relatedRow[relatedColumn]
}

type Truth = boolean | null

/** The table of a condition. If `guarded`, the condition sees only related rows that the role may see. */
type Place = { world: World; table: TableName; guarded: boolean }

/** Evaluates a condition on a row. Null is SQL's unknown. */
export function truthOf(place: Place, row: Row, expression: Expression): Truth {
  const evaluate = (part: Expression) => truthOf(place, row, part)
  switch (expression.kind) {
    case 'and':
      return conjunction(expression.parts.map(evaluate))
    case 'or':
      return negation(conjunction(expression.parts.map((part) => negation(evaluate(part)))))
    case 'not':
      return negation(evaluate(expression.part))
    case 'compare': {
      const operand = operandValue(place.world, expression.operand)
      return compareValues(row[expression.column] ?? null, expression.operator, operand)
    }
    case 'related':
      return hasRelatedRow(place, row, expression)
  }
}

function hasRelatedRow(
  { world, table, guarded }: Place,
  row: Row,
  { link: name, part }: Extract<Expression, { kind: 'related' }>,
): boolean {
  const link = requireValue(linkOf(table, name), `the link ${name}`)
  return world.rows[link.table].some(
    (relatedRow) =>
      joinsRow(link, row, relatedRow) &&
      (!guarded || isVisible(world, link.table, relatedRow)) &&
      truthOf({ world, table: link.table, guarded }, relatedRow, part) === true,
  )
}

function conjunction(parts: readonly Truth[]): Truth {
  if (parts.includes(false)) return false
  return parts.includes(null) ? null : true
}

function negation(value: Truth): Truth {
  return value === null ? null : !value
}

function operandValue({ session }: World, operand: Operand): Exclude<Operand, 'session'> {
  return operand === 'session' ? session : operand
}

function compareValues(value: number | string | null, operator: Operator, operand: Operand): Truth {
  if (operator === '_is_null') return (value === null) === operand
  if (Array.isArray(operand)) {
    if (operand.length === 0) return operator === '_nin'
    if (value === null) return null
    return operand.includes(value) === (operator === '_in')
  }
  if (value === null || typeof operand === 'boolean' || typeof operand === 'object') return null
  return COMPARE[operator]?.(value, operand) ?? null
}

const COMPARE: Readonly<
  Partial<Record<Operator, (value: number | string, operand: number | string) => boolean>>
> = {
  _eq: (value, operand) => value === operand,
  _neq: (value, operand) => value !== operand,
  _gt: (value, operand) => value > operand,
  _lt: (value, operand) => value < operand,
  _gte: (value, operand) => value >= operand,
  _lte: (value, operand) => value <= operand,
}
