import type {
  Aggregate,
  AggregateInput,
  AggregatePart,
  Connection,
  Field,
  Join,
  List,
  NumberPart,
  Order,
  PageStrategy,
  Rows,
  Scalar,
} from '../../ir/ir.ts'
import type { Relationship, Table } from '../../model/model.ts'

/**
 * Creates the shape of a list of a table's rows. If PostgreSQL knows a limit when it plans, and can stop reading at the
 * limit, look-ups of related rows become joins: PostgreSQL may then hash a small table instead of looking up each row.
 * Otherwise look-ups stay subqueries: for a limit in a parameter, PostgreSQL might hash a large table to return a few rows.
 */
export function listShape(table: Table, rows: Rows, join: Join, fields: readonly Field[]): List {
  return { kind: 'list', rows, join, fields, joinsLookUps: stopsEarly(rows, table) }
}

function stopsEarly({ from, order, limit, cap, distinctOn }: Rows, table: Table): boolean {
  const isBounded = limit === null ? cap !== null : limit.kind === 'integer'
  const isInKeyOrder = isKeyOrder(order, table)
  return isInKeyOrder && isBounded && from.kind === 'table' && distinctOn.length === 0
}

/** Reports whether the primary key's index has the order (forwards or backwards), or there is no order. */
function isKeyOrder(order: readonly Order[], { primaryKey }: Table): boolean {
  const [first] = order
  return order.every(({ by, direction, nulls }, i) => {
    const isNext = by.kind === 'column' && by.of === 'row' && by.name === primaryKey?.[i]?.name
    const hasDefaultNulls = nulls === (direction === 'asc' ? 'last' : 'first')
    return isNext && hasDefaultNulls && direction === first?.direction
  })
}

/** Reports whether at most one row is related, and only columns of this row are selected. */
export function isLookUp({ pairs, remote }: Relationship, fields: readonly Field[]): boolean {
  const joinColumns = new Set(pairs.map((pair) => pair.remote.name))
  const isUnique = remote.constraints.some(({ columns }) =>
    columns.every((name) => joinColumns.has(name)),
  )
  return isUnique && fields.every(isColumn)
}

function isColumn(field: Field): boolean {
  return field.kind === 'typename' || (field.kind === 'scalar' && isBuiltFromColumns(field.value))
}

/** Reports whether an expression is a column, or a global ID, which consists of columns. */
function isBuiltFromColumns({ kind }: Scalar): boolean {
  return kind === 'column' || kind === 'base64'
}

/** Creates the shape of an aggregate over rows, and decides on its input. */
export function aggregateShape(rows: Rows, join: Join, parts: readonly AggregatePart[]): Aggregate {
  return { kind: 'aggregate', rows, join, parts, input: aggregateInput(rows, parts) }
}

function aggregateInput(
  { order, limit, offset, distinctOn, cap }: Rows,
  parts: Parts,
): AggregateInput {
  // A permission's limit applies only to `nodes`. The aggregates cover all rows that the permission's filter allows.
  if (cap !== null) return { kind: 'numberedRows', sortsNodes: isReordered(order, parts) }
  const nodes = countedNodes(parts)
  if (nodes) return { kind: 'nodes', fields: nodes.fields }
  const isAll = order.length === 0 && limit === null && offset === null && distinctOn.length === 0
  if (isAll) return { kind: 'rows' }
  return isReordered(order, parts)
    ? { kind: 'numberedRows', sortsNodes: true }
    : { kind: 'subquery' }
}

type Parts = readonly AggregatePart[]

/**
 * Returns the selected `nodes` if no aggregate is selected besides them, except `count` without columns. Then only the
 * columns of the nodes are read.
 */
function countedNodes(parts: Parts) {
  const [nodes, ...furtherNodes] = parts.filter((part) => part.kind === 'nodes')
  const numbers = parts.flatMap((part) => (part.kind === 'numbers' ? part.numbers : []))
  return nodes && furtherNodes.length === 0 && numbers.every(isPlainCount) ? nodes : null
}

function isPlainCount(number: NumberPart): boolean {
  if (number.kind !== 'aggregate') return number.kind === 'typename'
  const { arguments: args, filter } = number.call
  return args === null && filter === null
}

/**
 * Reports whether aggregation may lose the order of the rows, because PostgreSQL sorts them for a distinct aggregate.
 */
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
 * Creates the shape of a page of rows. If possible, only the rows of the page are read. All rows are numbered if they
 * come from a function, or if a permission's limit or `distinct_on` applies. They are also numbered if the page begins
 * at the end opposite to the cursor (`after` with `last`, `before` with `first`). Finally, they are numbered if there is
 * a cursor, and the order is not only by columns that cannot be null.
 */
export function connectionShape(
  table: Table,
  page: Omit<Connection, 'kind' | 'strategy'>,
): Connection {
  return { kind: 'connection', strategy: pageStrategy(table, page), ...page }
}

function pageStrategy(
  table: Table,
  { rows, slice, split }: Pick<Connection, 'rows' | 'slice' | 'split'>,
): PageStrategy {
  const { from, order, distinctOn, cap } = rows
  const side = slice?.of ?? (split?.side === 'before' ? 'end' : 'start')
  const isOneWay = split === null || (split.side === 'after') === (side === 'start')
  const isPlain = from.kind === 'table' && distinctOn.length === 0 && cap === null
  const canSeek = isPlain && isOneWay && (split === null || isWithoutNulls(order, table))
  return canSeek ? { kind: 'seek', from: side } : { kind: 'numberAll' }
}

/** Reports whether the order consists only of columns that cannot be null. */
export function isWithoutNulls(order: readonly Order[], { columns }: Table): boolean {
  const required = new Set([...columns.values()].flatMap((c) => (c.nullable ? [] : [c.name])))
  return order.every(({ by }) => by.kind === 'column' && by.of === 'row' && required.has(by.name))
}
