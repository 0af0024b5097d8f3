import { validationError } from '../../../errors.ts'
import type { Order, Rows, Scalar, Source } from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { type Input, isGiven, readItems } from '../document/input.ts'
import { planLimit, planOffset } from '../document/row-limits.ts'
import type { Planner } from '../planner.ts'
import { columnScalar, namedColumn, selectPermission } from './access.ts'
import { planOptionalFilter } from './filter.ts'
import { type PlacedOrder, planOrderBy } from './order.ts'

/** Plans the rows that the arguments choose among those that the role may see. */
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

type Sorted = {
  table: Table
  from: Source
  /** What sorts the rows that are equal in the order that is asked for. */
  tieBreakers: readonly PlacedOrder[]
}

/**
 * Plans the rows with their whole order, in which each has a place.
 *
 * @returns with them the columns in which they are distinct, as often as the request names each
 */
export function planSortedRows(
  planner: Planner,
  args: (name: string) => Input,
  { table, from, tieBreakers }: Sorted,
): { rows: Rows; sorted: readonly PlacedOrder[]; distinct: readonly Scalar[] } {
  const { naming } = table.source
  const where = args('where')
  const permission = selectPermission(planner, table, where.path)
  const filter = planOptionalFilter(planner, where, table)
  const asked = planOrderBy(planner, args(naming.field('order_by')), table)
  const sorted = [...asked, ...tieBreakers.filter((one) => !asked.some(sortsLike(one)))]
  const limit = planLimit(planner, args('limit'))
  const offset = planOffset(planner, args('offset'))
  const distinct = planDistinct(planner, args(naming.field('distinct_on')), table)
  const distinctOn = distinct.filter((one, place) => placeIn(distinct, one) === place)
  const order = sorted.map(({ by, direction, nulls }) => {
    return { by: referToDistinct(by, distinctOn), direction, nulls }
  })
  const all = { kind: 'and', all: [permission.filter, filter] } as const
  const rows = { from, where: all, order, distinctOn, limit, offset, cap: permission.limit }
  return { rows, sorted, distinct }
}

function sortsLike({ place: [only] }: PlacedOrder): (other: PlacedOrder) => boolean {
  return ({ place }) => place.length === 1 && place[0] === only
}

function planDistinct(planner: Planner, input: Input, table: Table): readonly Scalar[] {
  if (!isGiven(planner, input)) return []
  return readItems(planner, input, (item) =>
    columnScalar(planner, table, namedColumn(planner, item, table)),
  )
}

/** @throws validation-failed if rows are distinct in other columns than those by which they are sorted first */
function checkDistinct(distinct: readonly Scalar[], order: readonly Order[], path: string): void {
  if (distinct.length === 0 || order.length === 0) return
  // As many as there are columns, even if some of them are the same.
  const first = order.slice(0, distinct.length).map(({ by }) => nameOfColumn(by))
  const isPrefix = !first.includes(null) && first.length === distinct.length
  if (isPrefix && distinct.every((column) => first.includes(nameOfColumn(column)))) return
  throw validationError(
    // Two arguments contradict each other, so the path names all arguments.
    path.replace(/\.\w+$/, ''),
    '"distinct_on" columns must match initial "order_by" columns',
  )
}

/** The name of the column that an expression is, masked or not; null if it is something else. */
function nameOfColumn(scalar: Scalar): string | null {
  if (scalar.kind === 'masked') return nameOfColumn(scalar.of)
  return scalar.kind === 'column' ? scalar.name : null
}

/** A masked column by its index in `distinctOn`, so that PostgreSQL sees that both are the same expression. */
function referToDistinct(by: Scalar, distinctOn: readonly Scalar[]): Scalar {
  if (by.kind !== 'masked') return by
  const place = placeIn(distinctOn, by)
  return place < 0 ? by : { kind: 'distinct', place }
}

/** The first place of a column among those in which rows are distinct; -1 if it is none of them. */
function placeIn(distinct: readonly Scalar[], scalar: Scalar): number {
  const name = nameOfColumn(scalar)
  return name === null ? -1 : distinct.findIndex((one) => nameOfColumn(one) === name)
}
