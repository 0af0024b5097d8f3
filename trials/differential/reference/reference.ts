import { requireValue } from '../../../lib/runtime/require-value.ts'

/**
 * Computes what an operation must answer, slowly and obviously: with rows in arrays, SQL's three truth values,
 * and permissions that are looked up at every step. It shares no code with the engine.
 */

export const TABLES = {
  a: { bs: { kind: 'array', table: 'b', own: 'id', other: 'a_id' } },
  b: {
    a: { kind: 'object', table: 'a', own: 'a_id', other: 'id' },
    cs: { kind: 'array', table: 'c', own: 'id', other: 'b_id' },
  },
  c: { b: { kind: 'object', table: 'b', own: 'b_id', other: 'id' } },
} as const

export type TableName = keyof typeof TABLES
type Link = { kind: 'array' | 'object'; table: TableName; own: string; other: string }
export type Row = Readonly<Record<string, number | string | null>>
export type Rows = Readonly<Record<TableName, readonly Row[]>>

const OPERATORS = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte', '_in', '_nin', '_is_null'] as const
type Operator = (typeof OPERATORS)[number]

/** What a column is compared with; `session` stands for the caller's number. */
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
  links: readonly { link: string; of: Question }[]
}
export type Question = {
  where: Expression | null
  order: { column: string; direction: 'asc' | 'desc' } | null
  limit: number | null
  offset: number | null
  selection: Selection
}

export type World = { rows: Rows; permissions: Permissions; session: number }

/** The link of that name; null where the table has none. */
export function linkOf(table: TableName, name: string): Link | null {
  const links: Readonly<Record<string, Link>> = TABLES[table]
  return links[name] ?? null
}

/** Whether the role may ask this at all. */
export function mayAsk(world: World, table: TableName, question: Question): boolean {
  const { where, order, selection } = question
  const permission = world.permissions[table]
  if (!permission) return false
  if (where && !mayCompare(world, table, where)) return false
  if (order && !permission.columns.includes(order.column)) return false
  if (!selection.columns.every((column) => permission.columns.includes(column))) return false
  return selection.links.every(({ link, of }) => {
    const found = linkOf(table, link)
    return found !== null && mayAsk(world, found.table, of)
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

/** The rows of a table for which the question asks, as JSON. */
export function expectedRows(world: World, table: TableName, question: Question): unknown[] {
  return answerAmong(world, table, question, world.rows[table])
}

function answerAmong(
  world: World,
  table: TableName,
  question: Question,
  among: readonly Row[],
): unknown[] {
  const cap = world.permissions[table]?.limit ?? null
  const bounds = [question.limit, cap].filter((bound) => bound !== null)
  return matchingRows(world, table, question, among)
    .slice(0, Math.min(...bounds, among.length))
    .map((row) => shapeRow(world, table, question, row))
}

/** How many rows an aggregate counts: a permission's limit applies to rows, but not to aggregates over them. */
export function expectedCount(world: World, table: TableName, question: Question): number {
  const { length } = matchingRows(world, table, question, world.rows[table])
  return Math.min(question.limit ?? length, length)
}

/** The rows that the role may see and asks for, in their order, after the offset. */
function matchingRows(
  world: World,
  table: TableName,
  { where, order, offset }: Question,
  among: readonly Row[],
): readonly Row[] {
  const asked = { world, table, guarded: true }
  return among
    .filter((row) => isVisible(world, table, row))
    .filter((row) => where === null || truthOf(asked, row, where) === true)
    .toSorted((x, y) => (order ? compareRows(x, y, order) : 0) || Number(x.id) - Number(y.id))
    .slice(offset ?? 0)
}

/** Whether the role may see a row. */
export function isVisible(world: World, table: TableName, row: Row): boolean {
  const permission = world.permissions[table]
  if (permission === null) return false
  return truthOf({ world, table, guarded: false }, row, permission.filter) === true
}

function compareRows(x: Row, y: Row, order: NonNullable<Question['order']>): number {
  const [a, b] = [x[order.column] ?? null, y[order.column] ?? null]
  const sign = order.direction === 'asc' ? 1 : -1
  if (a === b) return 0
  // Null is the largest value: last in ascending order, first in descending order.
  if (a === null) return sign
  if (b === null) return -sign
  return a < b ? -sign : sign
}

function shapeRow(world: World, table: TableName, { selection }: Question, row: Row): unknown {
  const columns = selection.columns.map((column) => [column, row[column] ?? null])
  const links = selection.links.map((link) => [link.link, linkedRows(world, table, row, link)])
  return Object.fromEntries([...columns, ...links])
}

function linkedRows(
  world: World,
  table: TableName,
  row: Row,
  { link, of }: { link: string; of: Question },
): unknown {
  const found = requireValue(linkOf(table, link), `the link ${link}`)
  const there = world.rows[found.table].filter((other) => joinsRow(found, row, other))
  if (found.kind === 'array') return answerAmong(world, found.table, of, there)
  const [one] = there.filter((other) => isVisible(world, found.table, other))
  return one ? shapeRow(world, found.table, of, one) : null
}

function joinsRow({ own, other }: Link, row: Row, there: Row): boolean {
  return row[own] !== null && row[own] === there[other]
}

type Truth = boolean | null

/** Where a condition is about; if `guarded`, only those related rows count that the role may see. */
type Place = { world: World; table: TableName; guarded: boolean }

/** Whether a condition holds for a row: in SQL it may also be neither true nor false. */
export function truthOf(place: Place, row: Row, expression: Expression): Truth {
  const part = (one: Expression) => truthOf(place, row, one)
  switch (expression.kind) {
    case 'and':
      return conjunction(expression.parts.map(part))
    case 'or':
      return negation(conjunction(expression.parts.map((one) => negation(part(one)))))
    case 'not':
      return negation(part(expression.part))
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
    (there) =>
      joinsRow(link, row, there) &&
      (!guarded || isVisible(world, link.table, there)) &&
      truthOf({ world, table: link.table, guarded }, there, part) === true,
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
