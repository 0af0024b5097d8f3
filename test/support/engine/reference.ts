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
export function answer(
  world: World,
  table: TableName,
  question: Question,
  among: readonly Row[] = world.rows[table],
): unknown[] {
  return chosen(world, table, question, among, true).map((row) =>
    shape(world, table, question, row),
  )
}

/** The rows themselves. A permission's limit applies to rows, but not to aggregates over them. */
export function chosen(
  world: World,
  table: TableName,
  { where, order, limit, offset }: Question,
  among: readonly Row[],
  capped: boolean,
): readonly Row[] {
  const cap = capped ? (world.permissions[table]?.limit ?? null) : null
  const matching = among
    .filter((row) => isVisible(world, table, row))
    .filter((row) => where === null || truth(world, table, row, where, true) === true)
    .toSorted((x, y) => (order ? compareRows(x, y, order) : 0) || Number(x.id) - Number(y.id))
    .slice(offset ?? 0)
  const bounds = [limit, cap].filter((bound) => bound !== null)
  return bounds.length > 0 ? matching.slice(0, Math.min(...bounds)) : matching
}

function isVisible(world: World, table: TableName, row: Row): boolean {
  const permission = world.permissions[table]
  return permission !== null && truth(world, table, row, permission.filter, false) === true
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

function shape(world: World, table: TableName, { selection }: Question, row: Row): unknown {
  const columns = selection.columns.map((column) => [column, row[column] ?? null])
  const links = selection.links.map(({ link, of }) => [
    link,
    linked(world, table, row, { link, of }),
  ])
  return Object.fromEntries([...columns, ...links])
}

function linked(
  world: World,
  table: TableName,
  row: Row,
  { link, of }: { link: string; of: Question },
): unknown {
  const found = linkOf(table, link)
  if (!found) throw new Error(`no link ${link}`)
  const there = world.rows[found.table].filter((other) => joins(found, row, other))
  if (found.kind === 'array') return answer(world, found.table, of, there)
  const [one] = there.filter((other) => isVisible(world, found.table, other))
  return one ? shape(world, found.table, of, one) : null
}

function joins({ own, other }: Link, row: Row, there: Row): boolean {
  return row[own] !== null && row[own] === there[other]
}

type Truth = boolean | null

/** Whether a condition holds for a row; if `guarded`, only related rows count that the role may see. */
export function truth(
  world: World,
  table: TableName,
  row: Row,
  expression: Expression,
  guarded: boolean,
): Truth {
  switch (expression.kind) {
    case 'and':
      return all(expression.parts.map((part) => truth(world, table, row, part, guarded)))
    case 'or':
      return not(all(expression.parts.map((part) => not(truth(world, table, row, part, guarded)))))
    case 'not':
      return not(truth(world, table, row, expression.part, guarded))
    case 'compare':
      return compare(
        row[expression.column] ?? null,
        expression.operator,
        resolve(world, expression.operand),
      )
    case 'related': {
      const link = linkOf(table, expression.link)
      if (!link) throw new Error(`no link ${expression.link}`)
      return world.rows[link.table].some(
        (there) =>
          joins(link, row, there) &&
          (!guarded || isVisible(world, link.table, there)) &&
          truth(world, link.table, there, expression.part, guarded) === true,
      )
    }
  }
}

function all(parts: readonly Truth[]): Truth {
  if (parts.includes(false)) return false
  return parts.includes(null) ? null : true
}

function not(value: Truth): Truth {
  return value === null ? null : !value
}

function resolve({ session }: World, operand: Operand): Exclude<Operand, 'session'> {
  return operand === 'session' ? session : operand
}

function compare(value: number | string | null, operator: Operator, operand: Operand): Truth {
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
