import { callOf } from '../model/call.ts'
import type {
  Column,
  ComputedField,
  FunctionArgument,
  Relationship,
  Table,
} from '../model/model.ts'
import { scalarOf } from '../scalars.ts'
import { columnScalar, joinOf, masked, permitted } from './access.ts'
import { planAggregate } from './aggregate.ts'
import { constant, type Input, isGiven, members } from './input.ts'
import type { Call, Field, Scalar, Shape } from './ir.ts'
import { jsonPath } from './json-path.ts'
import { nullableScalar } from './leaf.ts'
import { invalid, type Planner } from './planner.ts'
import { allRows, planRows } from './rows.ts'
import { argumentsOf, objectOf, type Selected, selected } from './selection-set.ts'

/** The fields of a table's rows that a selection asks for. */
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
  switch (meaning.is) {
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
          unique: isUnique(relationship),
        }
      }
      const rows = planRows(planner, argumentsOf(planner, one), remote, from)
      return { kind: 'many', rows, join, fields: planFields(planner, one, remote) }
    }
    case 'relationshipAggregate': {
      const { remote } = meaning.relationship
      const from = { kind: 'table', table: remote } as const
      const rows = planRows(planner, argumentsOf(planner, one), remote, from)
      const parts = planAggregate(planner, one, remote, planFields)
      return { kind: 'aggregate', rows, join: joinOf(meaning.relationship), parts }
    }
    case 'computedField':
      return planComputed(planner, one, { table, field: meaning.field })
    default:
      throw invalid(one.path, `field '${one.field.name}' cannot be read from a row`)
  }
}

function isUnique({ pairs, remote }: Relationship): boolean {
  const joined = new Set(pairs.map((pair) => pair.remote.name))
  return remote.constraints.some(({ columns }) => columns.every((name) => joined.has(name)))
}

function planColumn(
  planner: Planner,
  one: Selected,
  { table, column }: { table: Table; column: Column },
): Shape {
  refuseSelection(one)
  const value = columnScalar(planner, table, column)
  const text = isWide(planner, column)
  return { kind: 'scalar', value: withPath(planner, one, value), text }
}

function refuseSelection({ selections, path, field }: Selected): void {
  if (selections.length > 0)
    throw invalid(path, `unexpected subselection set for non-object field "${field?.name ?? ''}"`)
}

/** Whether numbers of the type are answered as strings. */
function isWide({ schema }: Planner, { type }: Pick<Column, 'type'>): boolean {
  return schema.model.settings.stringifyNumericTypes && type.element === null && scalarOf(type).wide
}

/** The part of a JSON value that the argument `path` names. */
function withPath(planner: Planner, one: Selected, of: Scalar): Scalar {
  const args = argumentsOf(planner, one)
  if (!one.field?.args.has('path')) return of
  const input = args('path')
  const path = isGiven(planner, input) ? constant(planner, input) : null
  return typeof path === 'string' ? { kind: 'path', of, path: jsonPath(path, input.path) } : of
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
    refuseSelection(one)
    const mask = permitted(planner, table, one.path).computedFields.get(field)
    const value = masked({ kind: 'call', call }, mask)
    return { kind: 'scalar', value: withPath(planner, one, value), text: isWide(planner, returns) }
  }
  const from = { kind: 'function', call } as const
  const fields = planFields(planner, one, returns.table)
  if (returns.set)
    return { kind: 'many', rows: planRows(planner, args, returns.table, from), join: [], fields }
  const rows = allRows(planner, returns.table, { kind: 'and', all: [] }, from)
  return { kind: 'one', rows, join: [], fields, unique: false }
}

/** A function's call with the members of `args`; the ones that are left out take their defaults. */
export function planCall(
  planner: Planner,
  called: { schema: string; name: string; args: readonly FunctionArgument[] },
  input: Input | null,
): Call {
  const given = new Map<FunctionArgument, Scalar>()
  if (input && isGiven(planner, input))
    for (const { field, value } of members(planner, input))
      if (field.meaning.is === 'argument')
        given.set(
          field.meaning.argument,
          nullableScalar(planner, value, field.meaning.argument.type),
        )
  for (const argument of called.args)
    if (argument.is === 'given' && !argument.optional && !given.has(argument))
      throw invalid(input?.path ?? '$', `missing required field '${argument.field}'`)
  return callOf(called, given)
}
