import type { Order, Predicate, Rows, Scalar, Source } from '../../ir/ir.ts'
import type { ComputedField, Relationship, Table } from '../../model/model.ts'
import { callOf } from '../../model/tables/call.ts'
import { enumName, type Input, isGiven, listItems, objectMembers } from '../document/input.ts'
import { planLimit, planOffset } from '../document/parameter.ts'
import { type Planner, validationError } from '../planner.ts'
import { columnScalar, maskedScalar, relationshipJoin, selectPermission } from './access.ts'
import { planOptionalFilter } from './filter.ts'

/** Plans the rows that the arguments choose among those that the role may see. */
export function planRows(
  planner: Planner,
  args: (name: string) => Input,
  table: Table,
  from: Source,
): Rows {
  const where = args('where')
  const permission = selectPermission(planner, table, where.path)
  const asked = planOrderBy(planner, args('order_by'), table)
  const distinctOn = planDistinct(planner, args('distinct_on'), table, asked)
  const order = asked.map((one) => ({ ...one, by: referToDistinct(one.by, distinctOn) }))
  return {
    from,
    where: { kind: 'and', all: [permission.filter, planOptionalFilter(planner, where, table)] },
    order,
    distinctOn,
    limit: planLimit(planner, args('limit')),
    offset: planOffset(planner, args('offset')),
    cap: permission.limit,
  }
}

/** All rows of a source that the role may see and the filter chooses. */
export function allRows(planner: Planner, table: Table, where: Predicate, from: Source): Rows {
  const { filter } = selectPermission(planner, table, '$')
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
  return listItems(planner, input).flatMap((item) => planOrder(planner, item, table, (by) => by))
}

function planOrder(planner: Planner, input: Input, table: Table, reach: Reach): Order[] {
  return objectMembers(planner, input).flatMap(({ field: { meaning }, value }): Order[] => {
    if (!isGiven(planner, value)) return []
    switch (meaning.kind) {
      case 'column':
        return [directedOrder(planner, value, reach(columnScalar(planner, table, meaning.column)))]
      case 'computedField': {
        const mask = selectPermission(planner, table, value.path).computedFields.get(meaning.field)
        const call: Scalar = { kind: 'call', call: callOf(meaning.field, new Map()) }
        return [directedOrder(planner, value, reach(maskedScalar(call, mask)))]
      }
      case 'relationship': {
        const { remote } = meaning.relationship
        const rows = allRows(planner, remote, ALL, { kind: 'table', table: remote })
        const join = relationshipJoin(meaning.relationship)
        return planOrder(planner, value, remote, (by) =>
          reach({ kind: 'related', rows, join, value: by }),
        )
      }
      case 'relationshipAggregate':
        return planAggregateOrder(
          planner,
          value,
          aggregateOverRelationship(planner, meaning.relationship, reach),
        )
      case 'computedFieldAggregate':
        return planAggregateOrder(
          planner,
          value,
          aggregateOverFunction(planner, meaning.field, reach),
        )
      default:
        return []
    }
  })
}

const ALL: Predicate = { kind: 'and', all: [] }

/** Makes the order's expression from an aggregate function and its argument. */
type AggregateOrder = { table: Table | null; apply(name: string, of: readonly Scalar[]): Scalar }

function aggregateOverRelationship(
  planner: Planner,
  relationship: Relationship,
  reach: Reach,
): AggregateOrder {
  const { remote } = relationship
  const rows = allRows(planner, remote, ALL, { kind: 'table', table: remote })
  const join = relationshipJoin(relationship)
  return {
    table: remote,
    apply: (name, args) =>
      reach({
        kind: 'aggregate',
        rows,
        join,
        call: { function: name, arguments: args, distinct: false, filter: null },
      }),
  }
}

function aggregateOverFunction(
  planner: Planner,
  field: ComputedField,
  reach: Reach,
): AggregateOrder {
  const table = field.returns.kind === 'table' ? field.returns.table : null
  if (!table) return { table, apply: () => ({ kind: 'call', call: callOf(field, new Map()) }) }
  const rows = allRows(planner, table, ALL, { kind: 'function', call: callOf(field, new Map()) })
  return {
    table,
    apply: (name, args) =>
      reach({
        kind: 'aggregate',
        rows,
        join: [],
        call: { function: name, arguments: args, distinct: false, filter: null },
      }),
  }
}

function planAggregateOrder(
  planner: Planner,
  input: Input,
  { table, apply }: AggregateOrder,
): Order[] {
  return objectMembers(planner, input).flatMap(({ field: { meaning }, value }): Order[] => {
    if (!isGiven(planner, value)) return []
    if (meaning.kind === 'count') return [directedOrder(planner, value, apply('count', []))]
    if (meaning.kind !== 'aggregateFunction' || !table) return []
    return objectMembers(planner, value).flatMap(({ field: { meaning: of }, value: direction }) => {
      if (of.kind !== 'column' || !isGiven(planner, direction)) return []
      return [
        directedOrder(
          planner,
          direction,
          apply(meaning.function, [columnScalar(planner, table, of.column)]),
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

function directedOrder(planner: Planner, input: Input, by: Scalar): Order {
  const direction = DIRECTIONS[enumName(planner, input)]
  if (!direction) throw validationError(input.path, 'unexpected direction')
  return { by, ...direction }
}

function planDistinct(
  planner: Planner,
  input: Input,
  table: Table,
  order: readonly Order[],
): readonly Scalar[] {
  if (!isGiven(planner, input)) return []
  const columns = listItems(planner, input).flatMap(
    (item) => table.columns.get(enumName(planner, item)) ?? [],
  )
  const first = new Set(order.slice(0, columns.length).map(({ by }) => nameOfColumn(by)))
  const matches = order.length === 0 || columns.every(({ name }) => first.has(name))
  if (!matches)
    throw validationError(
      // Two arguments contradict each other, so the path names all arguments.
      input.path.replace(/\.distinct_on$/, ''),
      '"distinct_on" columns must match initial "order_by" columns',
    )
  return columns.map((column) => columnScalar(planner, table, column))
}

/** The name of the column that an expression is, masked or not; null if it is something else. */
function nameOfColumn(scalar: Scalar): string | null {
  if (scalar.kind === 'masked') return nameOfColumn(scalar.of)
  return scalar.kind === 'column' ? scalar.name : null
}

/** A masked column by its index in `distinctOn`, so that Postgres sees that both are the same expression. */
function referToDistinct(by: Scalar, distinctOn: readonly Scalar[]): Scalar {
  if (by.kind !== 'masked') return by
  const name = nameOfColumn(by)
  const place = name === null ? -1 : distinctOn.findIndex((one) => nameOfColumn(one) === name)
  return place < 0 ? by : { kind: 'distinct', place }
}
