import { validationError } from '../../../errors.ts'
import type { Order, Rows, Scalar, Source } from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { type Input, isPresent, readItems } from '../document/input.ts'
import { planLimit, planOffset } from '../document/row-limits.ts'
import type { Planner } from '../planner.ts'
import { columnByEnum, columnScalar, selectPermission } from './access.ts'
import { planOptionalFilter } from './filter.ts'
import { type CursorOrder, planOrderBy } from './order.ts'

/** Plans the rows that the arguments select among the rows that the role may see. */
export function planRows(
  planner: Planner,
  args: (name: string) => Input,
  table: Table,
  from: Source,
): Rows {
  const { rows, sorted, distinct } = planSortedRows(planner, args, { table, from, tieBreakers: [] })
  const { naming } = table.source
  checkDistinct(distinct, sorted, args(naming.field('distinct_on')).path)
  return rows
}

type SortInput = {
  table: Table
  from: Source
  /** The orders for rows that are equal in the requested order. */
  tieBreakers: readonly CursorOrder[]
}

/**
 * Plans the rows in the requested order. Rows that are equal in this order are sorted by the tie-breakers.
 *
 * @returns also the columns of `distinct_on`, including repetitions
 */
export function planSortedRows(
  planner: Planner,
  args: (name: string) => Input,
  { table, from, tieBreakers }: SortInput,
): { rows: Rows; sorted: readonly CursorOrder[]; distinct: readonly Scalar[] } {
  const { naming } = table.source
  const where = args('where')
  const permission = selectPermission(planner, table, where.path)
  const filter = planOptionalFilter(planner, where, table)
  const requestedOrder = planOrderBy(planner, args(naming.field('order_by')), table)
  const sorted = [
    ...requestedOrder,
    ...tieBreakers.filter((order) => !requestedOrder.some(sortsBySameColumn(order))),
  ]
  const limit = planLimit(planner, args('limit'))
  const offset = planOffset(planner, args('offset'))
  const distinct = planDistinct(planner, args(naming.field('distinct_on')), table)
  const distinctOn = distinct.filter((column, place) => placeIn(distinct, column) === place)
  const order = sorted.map(({ by, direction, nulls }) => {
    return { by: referToDistinct(by, distinctOn), direction, nulls }
  })
  const all = { kind: 'and', operands: [permission.filter, filter] } as const
  const rows = { from, where: all, order, distinctOn, limit, offset, cap: permission.limit }
  return { rows, sorted, distinct }
}

function sortsBySameColumn({ cursorPath: [column] }: CursorOrder): (order: CursorOrder) => boolean {
  return ({ cursorPath: place }) => place.length === 1 && place[0] === column
}

function planDistinct(planner: Planner, input: Input, table: Table): readonly Scalar[] {
  if (!isPresent(planner, input)) return []
  return readItems(planner, input, (item) =>
    columnScalar(planner, table, columnByEnum(planner, item, table)),
  )
}

/** Checks that the rows are sorted first by the columns of `distinct_on`. @throws validation-failed */
function checkDistinct(distinct: readonly Scalar[], order: readonly Order[], path: string): void {
  if (distinct.length === 0 || order.length === 0) return
  // Checks as many orders as the request names columns, including columns that it names twice.
  const first = order.slice(0, distinct.length).map(({ by }) => nameOfColumn(by))
  const isPrefix = !first.includes(null) && first.length === distinct.length
  if (isPrefix && distinct.every((column) => first.includes(nameOfColumn(column)))) return
  throw validationError(
    // Two arguments contradict each other, so the path is the path of all arguments.
    path.replace(/\.\w+$/, ''),
    '"distinct_on" columns must match initial "order_by" columns',
  )
}

/** Returns the name of a column, masked or not; null for any other expression. */
function nameOfColumn(scalar: Scalar): string | null {
  if (scalar.kind === 'masked') return nameOfColumn(scalar.of)
  return scalar.kind === 'column' ? scalar.name : null
}

/**
 * Replaces a masked column of `order_by` by its index in `distinctOn`, if it is there. So PostgreSQL sees the same
 * expression in `order by` and in `distinct on`.
 */
function referToDistinct(by: Scalar, distinctOn: readonly Scalar[]): Scalar {
  if (by.kind !== 'masked') return by
  const place = placeIn(distinctOn, by)
  return place < 0 ? by : { kind: 'distinct', place }
}

/** Returns the index of the first occurrence of a column in `distinct_on`; -1 if there is none. */
function placeIn(distinct: readonly Scalar[], scalar: Scalar): number {
  const name = nameOfColumn(scalar)
  return name === null ? -1 : distinct.findIndex((column) => nameOfColumn(column) === name)
}
