import { EngineError } from '../../errors.ts'
import { type Order, type Scalar, TRUE } from '../../ir/ir.ts'
import type { ComputedField, Relationship, Table } from '../../model/model.ts'
import { functionCall } from '../../model/tables/function-call.ts'
import { enumName, type Input, isGiven, readItems, readMembers } from '../document/input.ts'
import { countSubquery, type Planner, validationError } from '../planner.ts'
import {
  aggregateName,
  allRows,
  columnScalar,
  maskedScalar,
  relationshipJoin,
  selectPermission,
} from './access.ts'

/** The rows that are sorted, or rows that are related to them. */
type Place = {
  /** Makes an expression over the sorted rows from one over the rows of this place. */
  reach(by: Scalar): Scalar
  /** The path of the list's item, below which the order is read. */
  item: string
  /** The aggregates by which is sorted, as paths below the item. */
  aggregates: string[]
}

/** Plans `order_by`; nothing when it is not given. */
export function planOrderBy(planner: Planner, input: Input, table: Table): Order[] {
  if (!isGiven(planner, input)) return []
  const aggregates: string[] = []
  const order = readItems(planner, input, (item) =>
    planOrder(planner, item, table, { reach: (by) => by, item: item.path, aggregates }),
  ).flat()
  // Hasura's statement selects it twice under one name.
  if (new Set(aggregates).size < aggregates.length)
    planner.refusals.push(new EngineError('unexpected', 'database query error'))
  return order
}

function planOrder(planner: Planner, input: Input, table: Table, place: Place): Order[] {
  return readMembers(planner, input, ({ field: { meaning }, value }): Order[] => {
    if (!isGiven(planner, value)) return []
    switch (meaning.kind) {
      case 'column': {
        const column = columnScalar(planner, table, meaning.column)
        return [directedOrder(planner, value, place.reach(column))]
      }
      case 'computedField': {
        countSubquery(planner)
        const mask = selectPermission(planner, table, value.path).computedFields.get(meaning.field)
        const call: Scalar = { kind: 'call', call: functionCall(meaning.field, new Map()) }
        return [directedOrder(planner, value, place.reach(maskedScalar(call, mask)))]
      }
      case 'relationship': {
        countSubquery(planner)
        const { remote } = meaning.relationship
        const rows = allRows(planner, remote, TRUE, { kind: 'table', table: remote })
        const join = relationshipJoin(meaning.relationship)
        const reach = (by: Scalar) => place.reach({ kind: 'related', rows, join, value: by })
        return planOrder(planner, value, remote, { ...place, reach })
      }
      case 'relationshipAggregate': {
        const over = aggregateOverRelationship(planner, meaning.relationship, place.reach)
        return planAggregateOrder(planner, value, over, place)
      }
      case 'computedFieldAggregate': {
        const over = aggregateOverFunction(planner, meaning.field, place.reach)
        return planAggregateOrder(planner, value, over, place)
      }
      default:
        return []
    }
  }).flat()
}

/** Makes the order's expression from an aggregate function and its argument. */
type AggregateOrder = {
  table: Table | null
  apply(name: string, of: readonly Scalar[] | null): Scalar
}

function aggregateOverRelationship(
  planner: Planner,
  relationship: Relationship,
  reach: Place['reach'],
): AggregateOrder {
  const { remote } = relationship
  const rows = allRows(planner, remote, TRUE, { kind: 'table', table: remote })
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
  reach: Place['reach'],
): AggregateOrder {
  const table = field.returns.kind === 'table' ? field.returns.table : null
  if (!table)
    return { table, apply: () => ({ kind: 'call', call: functionCall(field, new Map()) }) }
  const rows = allRows(planner, table, TRUE, {
    kind: 'function',
    call: functionCall(field, new Map()),
  })
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
  place: Place,
): Order[] {
  const order = (direction: Input, name: string, of: readonly Scalar[] | null): Order => {
    countSubquery(planner)
    place.aggregates.push(direction.path.slice(place.item.length))
    return directedOrder(planner, direction, apply(aggregateName(planner, name), of))
  }
  return readMembers(planner, input, ({ field: { meaning }, value }): Order[] => {
    if (meaning.kind === 'count')
      return isGiven(planner, value) ? [order(value, 'count', null)] : []
    if (meaning.kind !== 'aggregateFunction' || !table) return []
    return readMembers(planner, value, ({ field: { meaning: of }, value: direction }) => {
      if (of.kind !== 'column' || !isGiven(planner, direction)) return []
      return [order(direction, meaning.function, [columnScalar(planner, table, of.column)])]
    }).flat()
  }).flat()
}

/** By name, which some conventions write in capital letters. */
const DIRECTIONS: Readonly<Record<string, Omit<Order, 'by'>>> = {
  asc: { direction: 'asc', nulls: 'last' },
  asc_nulls_first: { direction: 'asc', nulls: 'first' },
  asc_nulls_last: { direction: 'asc', nulls: 'last' },
  desc: { direction: 'desc', nulls: 'first' },
  desc_nulls_first: { direction: 'desc', nulls: 'first' },
  desc_nulls_last: { direction: 'desc', nulls: 'last' },
}

function directedOrder(planner: Planner, input: Input, by: Scalar): Order {
  const direction = DIRECTIONS[enumName(planner, input).toLowerCase()]
  if (!direction) throw validationError(input.path, 'unexpected direction')
  return { by, ...direction }
}
