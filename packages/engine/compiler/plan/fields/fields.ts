import { validationError } from '../../../errors.ts'
import { parseJsonPath } from '../../../json/json-path.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import { builtInType, comparisonType, scalarOf } from '../../../postgres/scalars.ts'
import { type Field, type Json, type Scalar, type Shape, TRUE } from '../../ir/ir.ts'
import type { Column, ComputedField, Table } from '../../model/model.ts'
import { describeInput } from '../document/describe-input.ts'
import { constantValue } from '../document/input.ts'
import {
  fieldArguments,
  objectTypeOf,
  readFields,
  type SelectedField,
} from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import {
  allRows,
  columnScalar,
  maskedScalar,
  relationshipJoin,
  selectPermission,
} from '../read/access.ts'
import { planAggregate } from '../read/aggregate.ts'
import { planFunctionCall } from '../read/function-call.ts'
import { planNativeRelationship } from '../read/native-source.ts'
import { planRows } from '../read/rows.ts'
import { aggregateShape, isLookUp, listShape } from '../read/strategy.ts'
import { planConnection } from '../relay/connection.ts'
import { planLeftValues } from './left-values.ts'

/** Plans the selected fields of a table's rows. */
export function planFields(planner: Planner, parent: SelectedField, table: Table): Field[] {
  const type = objectTypeOf(parent)
  return readFields(planner, { ...parent, type }, (field) => ({
    as: field.as,
    ...planField(planner, field, { table, typeName: type.name }),
  }))
}

type Parent = { table: Table; typeName: string }

function planField(planner: Planner, selection: SelectedField, { table, typeName }: Parent): Shape {
  if (!selection.field) return { kind: 'typename', name: typeName }
  const { meaning, name } = selection.field
  switch (meaning.kind) {
    case 'column':
      return planColumn(planner, selection, { table, column: meaning.column })
    case 'relationship': {
      const { relationship } = meaning
      const join = relationshipJoin(relationship)
      const { remote } = relationship
      const from = { kind: 'table', table: remote } as const
      if (relationship.kind === 'object') {
        const fields = planFields(planner, selection, remote)
        return {
          kind: 'object',
          rows: allRows(planner, remote, TRUE, from),
          join,
          fields,
          isLookUp: isLookUp(relationship, fields),
        }
      }
      const rows = planRows(planner, fieldArguments(planner, selection), remote, from)
      return listShape(remote, rows, join, planFields(planner, selection, remote))
    }
    case 'nativeRelationship':
      return planNativeRelationship(planner, selection, meaning.relationship, planFields)
    case 'relationshipAggregate': {
      const { remote } = meaning.relationship
      const from = { kind: 'table', table: remote } as const
      const rows = planRows(planner, fieldArguments(planner, selection), remote, from)
      const parts = planAggregate(planner, selection, remote, planFields)
      return aggregateShape(rows, relationshipJoin(meaning.relationship), parts)
    }
    case 'remoteRelationship':
      return planLeftValues(planner, selection, { table, meaning }, planFields)
    case 'relationshipConnection': {
      const { remote } = meaning.relationship
      const join = relationshipJoin(meaning.relationship)
      const pageSource = { table: remote, from: { kind: 'table', table: remote }, join } as const
      return planConnection(planner, selection, pageSource, planFields)
    }
    case 'nodeId':
      return { kind: 'scalar', value: nodeId(table), text: false }
    case 'computedField':
      return planComputedField(planner, selection, { table, field: meaning.field })
    default:
      throw validationError(selection.path, `field '${name}' cannot be read from a row`)
  }
}

/** Creates a row's global ID from its table and its primary key. */
function nodeId({ schema, name, primaryKey }: Table): Scalar {
  const key = (primaryKey ?? []).map((column) => column.name)
  const items: Json[] = [
    { kind: 'value', of: { kind: 'integer', value: NODE_ID_VERSION } },
    { kind: 'text', text: schema },
    { kind: 'text', text: name },
    ...key.map((name): Json => ({ kind: 'value', of: { kind: 'column', name, of: 'row' } })),
  ]
  return { kind: 'base64', of: { kind: 'list', items } }
}

/** Hasura's number for this version of global IDs. */
const NODE_ID_VERSION = 1n

function planColumn(
  planner: Planner,
  selection: SelectedField,
  { table, column }: { table: Table; column: Column },
): Shape {
  const columnValue = columnScalar(planner, table, column)
  const isUpperCase = column.enumType !== null && table.source.naming.hasUpperCaseEnums
  const value: Scalar = isUpperCase ? { kind: 'upper', of: columnValue } : columnValue
  const text = isStringified(planner, column)
  const jsonValue = toJsonValue(withJsonPath(planner, selection, value), column.type)
  return { kind: 'scalar', value: jsonValue, text }
}

/** Reports whether numbers of the type are returned as strings. */
function isStringified({ schema }: Planner, { type }: Pick<Column, 'type'>): boolean {
  return (
    schema.model.settings.stringifyNumericTypes && type.element === null && scalarOf(type).isWide
  )
}

/** Converts a value for the response. Some types have a function for this. */
function toJsonValue(value: Scalar, type: PgType): Scalar {
  const converter = type.element === null ? scalarOf(type).outputFunction : null
  if (converter === null) return value
  const { schema } = comparisonType(type)
  const args = [
    value,
    ...converter.args.map((integer): Scalar => ({ kind: 'integer', value: integer })),
  ]
  const call = { schema, name: converter.name, args: args.map((of) => ({ name: null, value: of })) }
  return { kind: 'cast', of: { kind: 'call', call }, type: builtInType('json') }
}

/** Selects the part of a JSON value at the argument `path`. */
function withJsonPath(planner: Planner, selection: SelectedField, of: Scalar): Scalar {
  const input = fieldArguments(planner, selection)('path')
  if (input.kind === 'absent') return of
  const path = constantValue(planner, input)
  const description = describeInput(planner, input)
  // An enum literal also becomes a text, but GraphQL does not accept it as a string.
  if (typeof path !== 'string' || description !== 'a string')
    throw validationError(
      input.path,
      `expected a string for type 'String', but found ${description}`,
    )
  return { kind: 'path', of, path: parseJsonPath(path, `${selection.path}.args`) }
}

function planComputedField(
  planner: Planner,
  selection: SelectedField,
  { table, field }: { table: Table; field: ComputedField },
): Shape {
  const { returns } = field
  const args = fieldArguments(planner, selection)
  const call = planFunctionCall(
    planner,
    field,
    selection.field?.args.has('args') ? args('args') : null,
  )
  if (returns.kind === 'scalar') {
    const mask = selectPermission(planner, table, selection.path).computedFields.get(field)
    const value = maskedScalar({ kind: 'call', call }, mask)
    return {
      kind: 'scalar',
      value: toJsonValue(withJsonPath(planner, selection, value), returns.type),
      text: isStringified(planner, returns),
    }
  }
  const rows = planRows(planner, args, returns.table, { kind: 'function', call })
  return listShape(returns.table, rows, [], planFields(planner, selection, returns.table))
}
