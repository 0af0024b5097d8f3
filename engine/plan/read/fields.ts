import type { Field, Scalar, Shape } from '../../ir/ir.ts'
import { jsonPath } from '../../json/json-path.ts'
import type { Column, ComputedField, Table } from '../../model/model.ts'
import { scalarOf } from '../../postgres/scalars.ts'
import { constant, found } from '../document/input.ts'
import { argumentsOf, objectOf, type Selected, selected } from '../document/selection-set.ts'
import { invalid, type Planner } from '../planner.ts'
import { columnScalar, joinOf, masked, permitted } from './access.ts'
import { planAggregate } from './aggregate.ts'
import { planCall } from './call.ts'
import { allRows, planRows } from './rows.ts'
import { aggregateShape, isLookUp, listShape } from './strategy.ts'

/** Plans the fields of a table's rows that a selection contains. */
export function planFields(planner: Planner, parent: Selected, table: Table): Field[] {
  return selected(planner, objectOf(parent), parent.selections, parent.path).map((field) => ({
    as: field.as,
    ...planField(planner, field, { table, typeName: objectOf(parent).name }),
  }))
}

type Parent = { table: Table; typeName: string }

function planField(planner: Planner, one: Selected, { table, typeName }: Parent): Shape {
  if (!one.field) return { kind: 'typename', name: typeName }
  const { meaning } = one.field
  switch (meaning.kind) {
    case 'column':
      return planColumn(planner, one, { table, column: meaning.column })
    case 'relationship': {
      const { relationship } = meaning
      const join = joinOf(relationship)
      const { remote } = relationship
      const from = { kind: 'table', table: remote } as const
      if (relationship.kind === 'object') {
        const fields = planFields(planner, one, remote)
        return {
          kind: 'one',
          rows: allRows(planner, remote, { kind: 'and', all: [] }, from),
          join,
          fields,
          isLookUp: isLookUp(relationship, fields),
        }
      }
      const rows = planRows(planner, argumentsOf(planner, one), remote, from)
      return listShape(remote, rows, join, planFields(planner, one, remote))
    }
    case 'relationshipAggregate': {
      const { remote } = meaning.relationship
      const from = { kind: 'table', table: remote } as const
      const rows = planRows(planner, argumentsOf(planner, one), remote, from)
      const parts = planAggregate(planner, one, remote, planFields)
      return aggregateShape(rows, joinOf(meaning.relationship), parts)
    }
    case 'computedField':
      return planComputed(planner, one, { table, field: meaning.field })
    default:
      throw invalid(one.path, `field '${one.field.name}' cannot be read from a row`)
  }
}

function planColumn(
  planner: Planner,
  one: Selected,
  { table, column }: { table: Table; column: Column },
): Shape {
  const value = columnScalar(planner, table, column)
  const text = isWide(planner, column)
  return { kind: 'scalar', value: withPath(planner, one, value), text }
}

/** Whether numbers of the type are answered as strings. */
function isWide({ schema }: Planner, { type }: Pick<Column, 'type'>): boolean {
  return schema.model.settings.stringifyNumericTypes && type.element === null && scalarOf(type).wide
}

/** The part of a JSON value that the argument `path` names. */
function withPath(planner: Planner, one: Selected, of: Scalar): Scalar {
  const input = argumentsOf(planner, one)('path')
  if (input.kind === 'absent') return of
  const path = constant(planner, input)
  if (typeof path !== 'string')
    throw invalid(
      input.path,
      `expected a string for type 'String', but found ${found(planner, input)}`,
    )
  return { kind: 'path', of, path: jsonPath(path, `${one.path}.args`) }
}

function planComputed(
  planner: Planner,
  one: Selected,
  { table, field }: { table: Table; field: ComputedField },
): Shape {
  const { returns } = field
  const args = argumentsOf(planner, one)
  const call = planCall(planner, field, one.field?.args.has('args') ? args('args') : null)
  if (returns.kind === 'scalar') {
    const mask = permitted(planner, table, one.path).computedFields.get(field)
    const value = masked({ kind: 'call', call }, mask)
    return { kind: 'scalar', value: withPath(planner, one, value), text: isWide(planner, returns) }
  }
  const from = { kind: 'function', call } as const
  const fields = planFields(planner, one, returns.table)
  return listShape(returns.table, planRows(planner, args, returns.table, from), [], fields)
}
