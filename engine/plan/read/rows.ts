import type { Order, Rows, Scalar, Source } from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { type Input, isGiven, readItems } from '../document/input.ts'
import { planLimit, planOffset } from '../document/row-limits.ts'
import { type Planner, validationError } from '../planner.ts'
import { columnScalar, namedColumn, selectPermission } from './access.ts'
import { planOptionalFilter } from './filter.ts'
import { planOrderBy } from './order.ts'

/** Plans the rows that the arguments choose among those that the role may see. */
export function planRows(
  planner: Planner,
  args: (name: string) => Input,
  table: Table,
  from: Source,
): Rows {
  const { naming } = planner.schema.model
  const where = args('where')
  const permission = selectPermission(planner, table, where.path)
  const filter = planOptionalFilter(planner, where, table)
  const asked = planOrderBy(planner, args(naming.field('order_by')), table)
  const limit = planLimit(planner, args('limit'))
  const offset = planOffset(planner, args('offset'))
  const distinctOn = planDistinct(planner, args(naming.field('distinct_on')), table, asked)
  const order = asked.map((one) => ({ ...one, by: referToDistinct(one.by, distinctOn) }))
  return {
    from,
    where: { kind: 'and', all: [permission.filter, filter] },
    order,
    distinctOn,
    limit,
    offset,
    cap: permission.limit,
  }
}

function planDistinct(
  planner: Planner,
  input: Input,
  table: Table,
  order: readonly Order[],
): readonly Scalar[] {
  if (!isGiven(planner, input)) return []
  const columns = readItems(planner, input, (item) => namedColumn(planner, item, table))
  // As many as there are columns, even if some of them are the same.
  const first = order.slice(0, columns.length).flatMap(({ by }) => nameOfColumn(by) ?? [])
  const isPrefix =
    first.length === columns.length && columns.every(({ name }) => first.includes(name))
  if (order.length > 0 && !isPrefix)
    throw validationError(
      // Two arguments contradict each other, so the path names all arguments.
      input.path.replace(/\.\w+$/, ''),
      '"distinct_on" columns must match initial "order_by" columns',
    )
  return columns.map((column) => columnScalar(planner, table, column))
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
