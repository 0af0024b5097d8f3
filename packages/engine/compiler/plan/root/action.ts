import { Kind, type ValueNode } from 'graphql/language/index.js'
import { EngineError } from '../../../errors.ts'
import type { Shape } from '../../ir/ir.ts'
import type { Action, ActionRelationship } from '../../model/model.ts'
import { namedType, type TypeRef } from '../../schema/graphql-types.ts'
import type { Variables } from '../decision.ts'
import type { Input } from '../document/input.ts'
import { literalValue, variableValue } from '../document/literal.ts'
import {
  fieldArguments,
  objectTypeOf,
  readFields,
  type SelectedField,
} from '../document/selection-set.ts'
import { planFields } from '../fields/fields.ts'
import type { Planner } from '../planner.ts'
import { planJoinedRows } from '../read/joined-rows.ts'
import { checkArgument } from './action-input.ts'

/** A call of an action, or a request for the result of an asynchronous action. */
export type ActionCall = {
  action: Action
  mode: 'call' | 'result'
  /** Returns the caller's arguments, checked against their types. */
  input(variables: Variables): Readonly<Record<string, unknown>>
  /** The type of the root field's value. The response of a synchronous action's handler must have this type. */
  type: TypeRef
  /** The selected fields of the result; null if the result is not an object. */
  fields: readonly OutputField[] | null
}

/** A key of an object in the response. */
export type OutputField = { as: string } & (
  | { kind: 'typename'; name: string }
  | { kind: 'value'; name: string; type: TypeRef; fields: readonly OutputField[] | null }
  /** Rows of a table that the relationship's mapping joins to the handler's object. */
  | { kind: 'related'; relationship: ActionRelationship; shape: Shape }
)

/** Plans a root field that is an action; null for any other field. */
export function planAction(planner: Planner, selection: SelectedField): ActionCall | null {
  const { field } = selection
  const meaning = field?.meaning
  if (!field || (meaning?.kind !== 'action' && meaning?.kind !== 'asynchronousAction')) return null
  const args = fieldArguments(planner, selection)
  const inputs = [...field.args.keys()].map((name) => [name, args(name)] as const)
  const check = meaning.kind === 'action' ? checkArgument : checkCallId
  const readInput = (variables: Variables) =>
    Object.fromEntries(
      inputs.flatMap(([name, input]) => {
        const value = readArgument(input, variables)
        return value === undefined ? [] : [[name, check(input.type, value, placeOf(input))]]
      }),
    )
  // Reads the arguments once during planning, so that the first of several wrong values is reported.
  readInput(planner.variables)
  return {
    action: meaning.action,
    mode: meaning.kind === 'action' ? 'call' : 'result',
    input: readInput,
    type: resultType(field.type, meaning.kind === 'action' && meaning.mayBeNull),
    fields: planOutputFields(planner, selection),
  }
}

function placeOf(input: Input): { path: string; node: ValueNode | null } {
  return { path: input.path, node: input.kind === 'literal' ? input.node : null }
}

/** Returns the type of the handler's result. It may be nullable, although the schema shows the field as required. */
function resultType(type: TypeRef, mayBeNull: boolean): TypeRef {
  return mayBeNull && type.kind === 'required' ? type.of : type
}

/** Checks the ID of an asynchronous call, which must be a UUID. */
function checkCallId(type: TypeRef, value: unknown, place: ReturnType<typeof placeOf>): unknown {
  const id = checkArgument(type, value, place)
  if (typeof id === 'string' && UUID.test(id)) return id
  throw new EngineError('parse-failed', 'invalid UUID', { path: place.path })
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

function readArgument(input: Input, variables: Variables): unknown {
  if (input.kind === 'absent') return undefined
  if (input.kind === 'variable') return variableValue(input, variables)
  return input.node.kind === Kind.NULL ? null : literalValue(input.node, variables)
}

function planOutputFields(planner: Planner, selection: SelectedField): OutputField[] | null {
  if (!selection.field || namedType(selection.field.type).kind !== 'object') return null
  const type = objectTypeOf(selection)
  return readFields(planner, { ...selection, type }, (part): OutputField => {
    const { as, field } = part
    if (!field) return { as, kind: 'typename', name: type.name }
    if (field.meaning.kind === 'actionRelationship') {
      const { relationship } = field.meaning
      return {
        as,
        kind: 'related',
        relationship,
        shape: planJoinedRows(planner, part, relationship, planFields),
      }
    }
    return {
      as,
      kind: 'value',
      name: field.name,
      type: field.type,
      fields: planOutputFields(planner, part),
    }
  })
}
