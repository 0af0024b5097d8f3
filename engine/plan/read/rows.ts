import type { Order, Rows, Scalar, Source } from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { type Input, isGiven, readItems } from '../document/input.ts'
import { planLimit, planOffset } from '../document/row-limits.ts'
import { type Planner, validationError } from '../planner.ts'
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
  const { rows, sorted } = planSortedRows(planner, args, { table, from, tieBreakers: [] })
  const { naming } = table.source
  checkDistinct(rows, sorted, args(naming.field('distinct_on')).path)
  return rows
}

type Sorted = {
  table: Table
  from: Source
  /** What sorts the rows that are equal in the order that is asked for. */
  tieBreakers: readonly PlacedOrder[]
}

/** Plans the rows with their whole order, in which each has a place. */
export function planSortedRows(
  planner: Planner,
  args: (name: string) => Input,
  { table, from, tieBreakers }: Sorted,
): { rows: Rows; sorted: readonly PlacedOrder[] } {
  const { naming } = table.source
  const where = args('where')
  const permission = selectPermission(planner, table, where.path)
  const filter = planOptionalFilter(planner, where, table)
  const asked = planOrderBy(planner, args(naming.field('order_by')), table)
  const sorted = [...asked, ...tieBreakers.filter((one) => !asked.some(sortsLike(one)))]
  const limit = planLimit(planner, args('limit'))
  const offset = planOffset(planner, args('offset'))
  const distinctOn = planDistinct(planner, args(naming.field('distinct_on')), table)
  const order = sorted.map(({ by, direction, nulls }) => {
    return { by: referToDistinct(by, distinctOn), direction, nulls }
  })
  const all = { kind: 'and', all: [permission.filter, filter] } as const
  const rows = { from, where: all, order, distinctOn, limit, offset, cap: permission.limit }
  return { rows, sorted }
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
function checkDistinct({ distinctOn }: Rows, order: readonly Order[], path: string): void {
  if (distinctOn.length === 0 || order.length === 0) return
  // As many as there are columns, even if some of them are the same.
  const first = order.slice(0, distinctOn.length).map(({ by }) => nameOfColumn(by))
  const isPrefix = !first.includes(null) && first.length === distinctOn.length
  if (isPrefix && distinctOn.every((column) => first.includes(nameOfColumn(column)))) return
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
  const name = nameOfColumn(by)
  const place = name === null ? -1 : distinctOn.findIndex((one) => nameOfColumn(one) === name)
  return place < 0 ? by : { kind: 'distinct', place }
}
