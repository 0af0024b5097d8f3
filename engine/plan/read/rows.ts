import type { Order, Predicate, Rows, Scalar, Source } from '../../ir/ir.ts'
import type { ComputedField, Relationship, Table } from '../../model/model.ts'
import { callOf } from '../../model/tables/call.ts'
import { enumName, type Input, isGiven, items, members } from '../document/input.ts'
import { limitOf, offsetOf } from '../document/leaf.ts'
import { invalid, type Planner } from '../planner.ts'
import { columnScalar, joinOf, masked, permitted } from './access.ts'
import { planOptionalFilter } from './filter.ts'

/** Plans the rows that the arguments choose among those that the role may see. */
export function planRows(
  planner: Planner,
  args: (name: string) => Input,
  table: Table,
  from: Source,
): Rows {
  const where = args('where')
  const permission = permitted(planner, table, where.path)
  const asked = planOrderBy(planner, args('order_by'), table)
  const distinctOn = planDistinct(planner, args('distinct_on'), table, asked)
  const order = asked.map((one) => ({ ...one, by: placed(one.by, distinctOn) }))
  return {
    from,
    where: { kind: 'and', all: [permission.filter, planOptionalFilter(planner, where, table)] },
    order,
    distinctOn,
    limit: limitOf(planner, args('limit')),
    offset: offsetOf(planner, args('offset')),
    cap: permission.limit,
  }
}

/** All rows of a source that the role may see and the filter chooses. */
export function allRows(planner: Planner, table: Table, where: Predicate, from: Source): Rows {
  const { filter } = permitted(planner, table, '$')
  return { ...UNBOUNDED, from, where: { kind: 'and', all: [filter, where] } }
}

const UNBOUNDED = {
  order: [],
  distinctOn: [],
  limit: null,
  offset: null,
  cap: null,
} as const

/** How an order's expression is reached from the rows that are sorted. */
type Reach = (by: Scalar) => Scalar

function planOrderBy(planner: Planner, input: Input, table: Table): Order[] {
  if (!isGiven(planner, input)) return []
  return items(planner, input).flatMap((item) => planOrder(planner, item, table, (by) => by))
}

function planOrder(planner: Planner, input: Input, table: Table, reach: Reach): Order[] {
  return members(planner, input).flatMap(({ field: { meaning }, value }): Order[] => {
    if (!isGiven(planner, value)) return []
    switch (meaning.kind) {
      case 'column':
        return [orderBy(planner, value, reach(columnScalar(planner, table, meaning.column)))]
      case 'computedField': {
        const mask = permitted(planner, table, value.path).computedFields.get(meaning.field)
        const call: Scalar = { kind: 'call', call: callOf(meaning.field, new Map()) }
        return [orderBy(planner, value, reach(masked(call, mask)))]
      }
      case 'relationship': {
        const { remote } = meaning.relationship
        const rows = allRows(planner, remote, ALL, { kind: 'table', table: remote })
        const join = joinOf(meaning.relationship)
        return planOrder(planner, value, remote, (by) =>
          reach({ kind: 'related', rows, join, value: by }),
        )
      }
      case 'relationshipAggregate':
        return planFolds(planner, value, overRelation(planner, meaning.relationship, reach))
      case 'computedFieldAggregate':
        return planFolds(planner, value, overFunction(planner, meaning.field, reach))
      default:
        return []
    }
  })
}

const ALL: Predicate = { kind: 'and', all: [] }

/** Makes the order's expression from an aggregate function and its argument. */
type Folding = { table: Table | null; fold(name: string, of: readonly Scalar[]): Scalar }

function overRelation(planner: Planner, relationship: Relationship, reach: Reach): Folding {
  const { remote } = relationship
  const rows = allRows(planner, remote, ALL, { kind: 'table', table: remote })
  const join = joinOf(relationship)
  return {
    table: remote,
    fold: (name, args) =>
      reach({
        kind: 'fold',
        rows,
        join,
        fold: { function: name, arguments: args, distinct: false, filter: null },
      }),
  }
}

function overFunction(planner: Planner, field: ComputedField, reach: Reach): Folding {
  const table = field.returns.kind === 'table' ? field.returns.table : null
  if (!table) return { table, fold: () => ({ kind: 'call', call: callOf(field, new Map()) }) }
  const rows = allRows(planner, table, ALL, { kind: 'function', call: callOf(field, new Map()) })
  return {
    table,
    fold: (name, args) =>
      reach({
        kind: 'fold',
        rows,
        join: [],
        fold: { function: name, arguments: args, distinct: false, filter: null },
      }),
  }
}

function planFolds(planner: Planner, input: Input, { table, fold }: Folding): Order[] {
  return members(planner, input).flatMap(({ field: { meaning }, value }): Order[] => {
    if (!isGiven(planner, value)) return []
    if (meaning.kind === 'count') return [orderBy(planner, value, fold('count', []))]
    if (meaning.kind !== 'fold' || !table) return []
    return members(planner, value).flatMap(({ field: { meaning: of }, value: direction }) => {
      if (of.kind !== 'column' || !isGiven(planner, direction)) return []
      return [
        orderBy(
          planner,
          direction,
          fold(meaning.function, [columnScalar(planner, table, of.column)]),
        ),
      ]
    })
  })
}

const DIRECTIONS: Readonly<Record<string, Omit<Order, 'by'>>> = {
  asc: { direction: 'asc', nulls: 'last' },
  asc_nulls_first: { direction: 'asc', nulls: 'first' },
  asc_nulls_last: { direction: 'asc', nulls: 'last' },
  desc: { direction: 'desc', nulls: 'first' },
  desc_nulls_first: { direction: 'desc', nulls: 'first' },
  desc_nulls_last: { direction: 'desc', nulls: 'last' },
}

function orderBy(planner: Planner, input: Input, by: Scalar): Order {
  const direction = DIRECTIONS[enumName(planner, input)]
  if (!direction) throw invalid(input.path, 'unexpected direction')
  return { by, ...direction }
}

function planDistinct(
  planner: Planner,
  input: Input,
  table: Table,
  order: readonly Order[],
): readonly Scalar[] {
  if (!isGiven(planner, input)) return []
  const columns = items(planner, input).flatMap(
    (item) => table.columns.get(enumName(planner, item)) ?? [],
  )
  const first = new Set(order.slice(0, columns.length).map(({ by }) => columnName(by)))
  const matches = order.length === 0 || columns.every(({ name }) => first.has(name))
  if (!matches)
    throw invalid(
      // Two arguments contradict each other, so the path names all arguments.
      input.path.replace(/\.distinct_on$/, ''),
      '"distinct_on" columns must match initial "order_by" columns',
    )
  return columns.map((column) => columnScalar(planner, table, column))
}

/** The name of the column that an expression is, masked or not; null if it is something else. */
function columnName(scalar: Scalar): string | null {
  if (scalar.kind === 'masked') return columnName(scalar.of)
  return scalar.kind === 'column' ? scalar.name : null
}

/** A masked column by its index in `distinctOn`, so that Postgres sees that both are the same expression. */
function placed(by: Scalar, distinctOn: readonly Scalar[]): Scalar {
  if (by.kind !== 'masked') return by
  const name = columnName(by)
  const place = name === null ? -1 : distinctOn.findIndex((one) => columnName(one) === name)
  return place < 0 ? by : { kind: 'distinct', place }
}
