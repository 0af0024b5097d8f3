import { EngineError, validationError } from '../../../errors.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import { builtInType, comparisonType } from '../../../postgres/scalars.ts'
import { type Order, type Scalar, TRUE } from '../../ir/ir.ts'
import type { ComputedField, Relationship, Table } from '../../model/model.ts'
import { functionCall } from '../../model/tables/function-call.ts'
import { enumName, type Input, isPresent, readItems, readMembers } from '../document/input.ts'
import type { Planner } from '../planner.ts'
import {
  aggregateName,
  allRows,
  columnScalar,
  maskedScalar,
  relationshipJoin,
  selectPermission,
} from './access.ts'

/**
 * An order, the keys of its value in a row's cursor, and the type of this value. The key of a column is its name in the
 * database. The keys of other fields are their names in GraphQL.
 */
export type CursorOrder = Order & { cursorPath: readonly string[]; type: PgType }

/** The place of an order: in the sorted rows, or in rows related to them. */
type Place = {
  /** Converts an expression over the rows of this place to an expression over the sorted rows. */
  toOuterScalar(scalar: Scalar): Scalar
  /** The path of the list item that contains the order. */
  item: string
  /** The aggregates in the order, as paths below the item. */
  aggregates: string[]
  /** The keys from the cursor to this place. */
  names: readonly string[]
}

/** Plans `order_by`. Returns no orders if the argument is missing or null. */
export function planOrderBy(planner: Planner, input: Input, table: Table): CursorOrder[] {
  if (!isPresent(planner, input)) return []
  const aggregates: string[] = []
  const order = readItems(planner, input, (item) =>
    planOrder(planner, item, table, {
      toOuterScalar: (scalar) => scalar,
      item: item.path,
      aggregates,
      names: [],
    }),
  ).flat()
  // Hasura's statement would select the aggregate twice under the same name, which PostgreSQL rejects.
  if (new Set(aggregates).size < aggregates.length)
    planner.notes.addRefusal(new EngineError('unexpected', 'database query error'))
  return order
}

function planOrder(planner: Planner, input: Input, table: Table, cursorPath: Place): CursorOrder[] {
  return readMembers(planner, input, ({ field: { meaning, name }, value }): CursorOrder[] => {
    if (!isPresent(planner, value)) return []
    switch (meaning.kind) {
      case 'column': {
        const column = columnScalar(planner, table, meaning.column)
        const cursor = cursorPlace(cursorPath, meaning.column.name, meaning.column.type)
        return [{ ...directedOrder(planner, value, cursorPath.toOuterScalar(column)), ...cursor }]
      }
      case 'computedField': {
        planner.notes.countSubquery()
        const mask = selectPermission(planner, table, value.path).computedFields.get(meaning.field)
        const call: Scalar = { kind: 'call', call: functionCall(meaning.field, new Map()) }
        const order = directedOrder(
          planner,
          value,
          cursorPath.toOuterScalar(maskedScalar(call, mask)),
        )
        const { returns } = meaning.field
        return returns.kind === 'scalar'
          ? [{ ...order, ...cursorPlace(cursorPath, name, returns.type) }]
          : []
      }
      case 'relationship': {
        planner.notes.countSubquery()
        const { remote } = meaning.relationship
        const rows = allRows(planner, remote, TRUE, { kind: 'table', table: remote })
        const join = relationshipJoin(meaning.relationship)
        const toOuterScalar = (scalar: Scalar) =>
          cursorPath.toOuterScalar({ kind: 'relatedValue', rows, join, value: scalar })
        return planOrder(planner, value, remote, { ...placeBelow(cursorPath, name), toOuterScalar })
      }
      case 'relationshipAggregate': {
        const aggregate = aggregateOverRelationship(
          planner,
          meaning.relationship,
          cursorPath.toOuterScalar,
        )
        return planAggregateOrder(planner, value, aggregate, placeBelow(cursorPath, name))
      }
      case 'computedFieldAggregate': {
        const aggregate = aggregateOverFunction(planner, meaning.field, cursorPath.toOuterScalar)
        return planAggregateOrder(planner, value, aggregate, placeBelow(cursorPath, name))
      }
      default:
        return []
    }
  }).flat()
}

function cursorPlace({ names }: Place, name: string, type: PgType) {
  return { cursorPath: [...names, name], type: comparisonType(type) }
}

function placeBelow(cursorPath: Place, name: string): Place {
  return { ...cursorPath, names: [...cursorPath.names, name] }
}

/**
 * An aggregate that rows are sorted by. `apply` creates the expression from the aggregate function and its arguments.
 */
type AggregateOrder = {
  table: Table | null
  apply(name: string, of: readonly Scalar[] | null): Scalar
}

function aggregateOverRelationship(
  planner: Planner,
  relationship: Relationship,
  toOuterScalar: Place['toOuterScalar'],
): AggregateOrder {
  const { remote } = relationship
  const rows = allRows(planner, remote, TRUE, { kind: 'table', table: remote })
  const join = relationshipJoin(relationship)
  return {
    table: remote,
    apply: (name, args) =>
      toOuterScalar({
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
  toOuterScalar: Place['toOuterScalar'],
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
      toOuterScalar({
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
  cursorPath: Place,
): CursorOrder[] {
  const order = (direction: Input, name: string, of: readonly Scalar[] | null): Order => {
    planner.notes.countSubquery()
    cursorPath.aggregates.push(direction.path.slice(cursorPath.item.length))
    const functionName = table ? aggregateName(table, name) : name
    return directedOrder(planner, direction, apply(functionName, of))
  }
  return readMembers(planner, input, ({ field: { meaning, name }, value }): CursorOrder[] => {
    if (meaning.kind === 'count')
      return isPresent(planner, value)
        ? [
            {
              ...order(value, 'count', null),
              ...cursorPlace(cursorPath, name, builtInType('int8')),
            },
          ]
        : []
    if (meaning.kind !== 'aggregateFunction' || !table) return []
    return readMembers(planner, value, ({ field: { meaning: of }, value: direction }) => {
      if (of.kind !== 'column' || !isPresent(planner, direction)) return []
      const { column } = of
      const scalar = order(direction, meaning.function, [columnScalar(planner, table, column)])
      const type = aggregateType(meaning.function, column.type)
      return [{ ...scalar, ...cursorPlace(placeBelow(cursorPath, name), column.name, type) }]
    }).flat()
  }).flat()
}

/** Returns a type that PostgreSQL can compare with an aggregate: it can compare `numeric` with integers and floats. */
function aggregateType(name: string, of: PgType): PgType {
  return name === 'max' || name === 'min' ? of : builtInType('numeric')
}

/** The directions by name in lower case. With some naming conventions, the schema has the names in upper case. */
const DIRECTIONS: Readonly<Record<string, Omit<Order, 'by'>>> = {
  asc: { direction: 'asc', nulls: 'last' },
  asc_nulls_first: { direction: 'asc', nulls: 'first' },
  asc_nulls_last: { direction: 'asc', nulls: 'last' },
  desc: { direction: 'desc', nulls: 'first' },
  desc_nulls_first: { direction: 'desc', nulls: 'first' },
  desc_nulls_last: { direction: 'desc', nulls: 'last' },
}

function directedOrder(planner: Planner, input: Input, scalar: Scalar): Order {
  const direction = DIRECTIONS[enumName(planner, input).toLowerCase()]
  if (!direction) throw validationError(input.path, 'unexpected direction')
  return { by: scalar, ...direction }
}
