import type {
  Aggregate,
  Aggregated,
  AggregatePart,
  Connection,
  Field,
  Join,
  List,
  NumberPart,
  Order,
  PageReading,
  Rows,
  Scalar,
} from '../../ir/ir.ts'
import type { Relationship, Table } from '../../model/model.ts'

/**
 * A list of a table's rows. Where PostgreSQL stops reading at a limit that it knows when it plans, related rows are
 * joined to those of the list: it may hash a small table instead of looking up each row. Without such a limit,
 * it might join all rows to show a few.
 */
export function listShape(table: Table, rows: Rows, join: Join, fields: readonly Field[]): List {
  return { kind: 'many', rows, join, fields, joinsLookUps: stopsEarly(rows, table) }
}

function stopsEarly({ from, order, limit, cap, distinctOn }: Rows, table: Table): boolean {
  const isBounded = limit === null ? cap !== null : limit.kind === 'whole'
  const isInKeyOrder = isKeyOrder(order, table)
  return isInKeyOrder && isBounded && from.kind === 'table' && distinctOn.length === 0
}

/** Whether PostgreSQL can read the primary key's index for an order (forwards or backwards), or there is no order. */
function isKeyOrder(order: readonly Order[], { primaryKey }: Table): boolean {
  const [first] = order
  return order.every(({ by, direction, nulls }, i) => {
    const isNext = by.kind === 'column' && by.of === 'row' && by.name === primaryKey?.[i]?.name
    const plain = nulls === (direction === 'asc' ? 'last' : 'first')
    return isNext && plain && direction === first?.direction
  })
}

/** Whether only columns are selected of a related row, of which there can be no more than one. */
export function isLookUp({ pairs, remote }: Relationship, fields: readonly Field[]): boolean {
  const joined = new Set(pairs.map((pair) => pair.remote.name))
  const isUnique = remote.constraints.some(({ columns }) =>
    columns.every((name) => joined.has(name)),
  )
  return isUnique && fields.every(isColumn)
}

function isColumn(field: Field): boolean {
  return field.kind === 'typename' || (field.kind === 'scalar' && isOfColumns(field.value))
}

/** A column, or the global id that is made of some. */
function isOfColumns({ kind }: Scalar): boolean {
  return kind === 'column' || kind === 'base64'
}

/** An aggregate over rows. What it is computed over is decided here. */
export function aggregateShape(rows: Rows, join: Join, parts: readonly AggregatePart[]): Aggregate {
  return { kind: 'aggregate', rows, join, parts, over: aggregatedOver(rows, parts) }
}

function aggregatedOver({ order, limit, offset, distinctOn, cap }: Rows, parts: Parts): Aggregated {
  // A permission's limit applies to `nodes` only; numbers are over all rows that the permission allows.
  if (cap !== null) return { kind: 'numbered', sortsNodes: isReordered(order, parts) }
  const nodes = countedNodes(parts)
  if (nodes) return { kind: 'nodes', fields: nodes.fields }
  const isAll = order.length === 0 && limit === null && offset === null && distinctOn.length === 0
  if (isAll) return { kind: 'rows' }
  return isReordered(order, parts) ? { kind: 'numbered', sortsNodes: true } : { kind: 'subquery' }
}

type Parts = readonly AggregatePart[]

/** The selected nodes, if besides them only `count` is selected: then no other column need be read. */
function countedNodes(parts: Parts) {
  const [nodes, ...others] = parts.filter((part) => part.kind === 'nodes')
  const numbers = parts.flatMap((part) => (part.kind === 'numbers' ? part.numbers : []))
  return nodes && others.length === 0 && numbers.every(isPlainCount) ? nodes : null
}

function isPlainCount(number: NumberPart): boolean {
  if (number.kind !== 'aggregate') return number.kind === 'typename'
  const { arguments: args, filter } = number.call
  return args === null && filter === null
}

/** Whether aggregation may lose the order of the rows: PostgreSQL sorts them anew for a distinct aggregate. */
function isReordered(order: readonly Order[], parts: Parts): boolean {
  return order.length > 0 && parts.some(hasDistinct)
}

function hasDistinct(part: AggregatePart): boolean {
  return part.kind === 'numbers' && part.numbers.some(isDistinct)
}

function isDistinct(number: NumberPart): boolean {
  if (number.kind === 'group') return number.numbers.some(isDistinct)
  return number.kind === 'aggregate' && number.call.distinct
}

/**
 * A page of rows. Where the order alone tells which rows are before and after the page, only those of the page are read.
 * Nulls in the order, and rows that a permission's limit or `distinct_on` leaves out, have no such place: then all rows
 * are numbered.
 */
export function connectionShape(table: Table, page: Omit<Connection, 'kind' | 'read'>): Connection {
  return { kind: 'connection', read: pageReading(table, page), ...page }
}

function pageReading(
  table: Table,
  { rows, slice, split }: Pick<Connection, 'rows' | 'slice' | 'split'>,
): PageReading {
  const { from, order, distinctOn, cap } = rows
  const side = slice?.of ?? (split?.side === 'before' ? 'end' : 'start')
  const isOneWay = split === null || (split.side === 'after') === (side === 'start')
  const isPlain = from.kind === 'table' && distinctOn.length === 0 && cap === null
  const isSought = isPlain && isOneWay && (split === null || isWithoutNulls(order, table))
  return isSought ? { kind: 'sought', from: side } : { kind: 'numbered' }
}

/** Whether no row has null in the order. */
export function isWithoutNulls(order: readonly Order[], { columns }: Table): boolean {
  const required = new Set([...columns.values()].flatMap((c) => (c.nullable ? [] : [c.name])))
  return order.every(({ by }) => by.kind === 'column' && by.of === 'row' && required.has(by.name))
}
