import { type Order, type Scalar, TRUE } from '../../ir/ir.ts'
import type { ComputedField, Relationship, Table } from '../../model/model.ts'
import { functionCall } from '../../model/tables/function-call.ts'
import { enumName, type Input, isGiven, listItems, objectMembers } from '../document/input.ts'
import { type Planner, validationError } from '../planner.ts'
import {
  allRows,
  columnScalar,
  maskedScalar,
  relationshipJoin,
  selectPermission,
} from './access.ts'

/** Makes an expression over the sorted rows from one over rows that are related to them. */
type Reach = (by: Scalar) => Scalar

/** Plans `order_by`; nothing when it is not given. */
export function planOrderBy(planner: Planner, input: Input, table: Table): Order[] {
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
        const call: Scalar = { kind: 'call', call: functionCall(meaning.field, new Map()) }
        return [directedOrder(planner, value, reach(maskedScalar(call, mask)))]
      }
      case 'relationship': {
        const { remote } = meaning.relationship
        const rows = allRows(planner, remote, TRUE, { kind: 'table', table: remote })
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

/** Makes the order's expression from an aggregate function and its argument. */
type AggregateOrder = { table: Table | null; apply(name: string, of: readonly Scalar[]): Scalar }

function aggregateOverRelationship(
  planner: Planner,
  relationship: Relationship,
  reach: Reach,
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
  reach: Reach,
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
