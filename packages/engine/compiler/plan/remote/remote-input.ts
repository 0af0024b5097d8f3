import { Kind, print, type TypeNode, type ValueNode } from 'graphql/language/index.js'
import { validationError } from '../../../errors.ts'
import { isList, isRecord } from '../../../json/record.ts'
import type { Session } from '../../../session/session.ts'
import {
  type EnumType,
  type InputField,
  type InputType,
  type TypeRef,
  typeText,
} from '../../schema/graphql-types.ts'
import { inHashOrder } from '../../schema/hash-order.ts'
import type { Variables } from '../decision.ts'
import { describeNode } from '../document/describe-input.ts'
import { describeValue, enumValueMessage } from '../document/describe-value.ts'
import { NAME } from '../document/input.ts'
import { notAnEnumValue } from '../document/value-check.ts'
import { variableFits } from '../document/variable-types.ts'
import type { Planner } from '../planner.ts'
import type { SentMember, SentValue } from '../sent-field.ts'
import { presetMembers } from './preset-members.ts'

/**
 * The context in which values are read. There is no session while an operation is planned, so presets are left out
 * then.
 */
export type InputReading = {
  definitions: Planner['definitions']
  variables: Variables
  session: Session | null
  /** Returns the original name of a remote schema's type. */
  originalType(name: string): string
  /** True if nulls for optional arguments are left out. */
  skipsNulls: boolean
}

/** A value in the document or in a variable. */
type InputValue = { node: ValueNode } | { json: unknown }

/**
 * Returns the value of an argument or of an input object's field; null if it is not sent. Like Hasura, leaves the check
 * of scalars to the remote server. Passes a variable unchanged if the type of the place is a non-null scalar; otherwise
 * the variable's value replaces it. If the caller leaves out a value that has a default, the default is sent.
 *
 * @throws validation-failed if the value does not have the structure of its type
 */
export function toSentInput(
  reading: InputReading,
  { name, type, defaultText }: InputField,
  input: InputValue | null,
  path: string,
): SentValue | null {
  const value =
    input && toSentValue(reading, { type, path, hasDefault: defaultText !== null }, input)
  const isSkipped = reading.skipsNulls && type.kind !== 'required' && value === NULL
  if (value && !isSkipped) return value
  if (defaultText !== null) return { kind: 'text', text: defaultText }
  if (type.kind === 'required') throw validationError(path, `missing required field '${name}'`)
  return null
}

type Place = { type: TypeRef; path: string; hasDefault?: boolean }

function toSentValue(reading: InputReading, place: Place, input: InputValue): SentValue {
  const { type } = place
  if (type.kind === 'required')
    return requiredValue(reading, { ...place, type: type.of }, input, type)
  const value = withoutVariable(reading, place, input)
  const isNull = 'node' in value ? value.node.kind === Kind.NULL : value.json == null
  return isNull ? NULL : requiredValue(reading, place, value, type)
}

const NULL: SentValue = { kind: 'text', text: 'null' }

/**
 * Converts a value that is not null. `fullType` is the type of the place, with its outermost non-null wrapping if it
 * has one.
 */
function requiredValue(
  reading: InputReading,
  place: Place,
  input: InputValue,
  fullType: TypeRef,
): SentValue {
  const { type, path } = place
  const resolveVariable = () => withoutVariable(reading, { ...place, type: fullType }, input)
  switch (type.kind) {
    case 'list':
      return listValue(reading, { type: type.of, path }, resolveVariable())
    case 'enum':
      return { kind: 'text', text: enumValue(type, resolveVariable(), path) }
    case 'input':
      return objectValue(reading, type, resolveVariable(), path)
    default:
      return scalarValue(reading, { ...place, type: fullType }, input)
  }
}

/** Replaces a variable by its value. The declared type must fit. */
function withoutVariable(reading: InputReading, place: Place, input: InputValue): InputValue {
  if (!('node' in input) || input.node.kind !== Kind.VARIABLE) return input
  const { name } = variableAt(reading, place, input.node.name.value)
  return { json: Object.hasOwn(reading.variables, name) ? reading.variables[name] : null }
}

function variableAt(
  { definitions }: InputReading,
  { type, path, hasDefault = false }: Place,
  name: string,
) {
  const definition = definitions.get(name)
  if (!definition) throw validationError(path, `unbound variable "${name}"`)
  const { defaultValue } = definition
  const isFilled = hasDefault || (defaultValue !== undefined && defaultValue.kind !== Kind.NULL)
  if (!variableFits(definition.type, type, isFilled))
    throw validationError(
      path,
      `variable '${name}' is declared as '${print(definition.type)}', but used where '${typeText(type)}' is expected`,
    )
  return { name, definition }
}

function listValue(reading: InputReading, { type, path }: Place, input: InputValue): SentValue {
  // A literal that is not a list counts as a list with one item, and is sent without brackets.
  if ('node' in input && input.node.kind !== Kind.LIST && input.node.kind !== Kind.NULL)
    return toSentValue(reading, { type, path: `${path}[0]` }, input)
  const items = 'node' in input ? nodeItems(input.node) : jsonItems(input.json)
  if (items === null) throw validationError(path, 'expected a list, but found null')
  return {
    kind: 'list',
    items: items.map((item, i) => toSentValue(reading, { type, path: `${path}[${i}]` }, item)),
  }
}

function nodeItems(node: ValueNode): InputValue[] | null {
  return node.kind === Kind.LIST ? node.values.map((item) => ({ node: item })) : null
}

/** Returns the items. A single value counts as a list with one item. */
function jsonItems(json: unknown): InputValue[] | null {
  if (json === null || json === undefined) return null
  return isList(json) ? json.map((item) => ({ json: item })) : [{ json }]
}

function enumValue(type: EnumType, input: InputValue, path: string): string {
  const isNode = 'node' in input
  const description = isNode ? describeNode(input.node) : describeValue(input.json)
  const value = isNode ? input.node.kind === Kind.ENUM && input.node.value : input.json
  if (typeof value !== 'string' || !NAME.test(value)) throw notAnEnumValue(type, description, path)
  if (type.values.some(({ name }) => name === value)) return value
  throw validationError(path, enumValueMessage(type, value))
}

function objectValue(
  reading: InputReading,
  type: InputType,
  input: InputValue,
  path: string,
): SentValue {
  const members = membersOf(input)
  if (!members) {
    const description = 'node' in input ? describeNode(input.node) : describeValue(input.json)
    throw validationError(
      path,
      `expected an object for type '${type.name}', but found ${description}`,
    )
  }
  const fields = type.fields()
  const unknown = [...members.keys()].filter((name) => !fields.has(name))
  const [first] = inHashOrder(unknown, (name) => name)
  if (first !== undefined)
    throw validationError(`${path}.${first}`, `field '${first}' not found in type: '${type.name}'`)
  const sentMembers = [...fields.values()].flatMap((field): SentMember[] => {
    const memberPath = `${path}.${field.name}`
    const value = toSentInput(reading, field, members.get(field.name) ?? null, memberPath)
    return value ? [{ name: field.name, value }] : []
  })
  return {
    kind: 'object',
    members: [...sentMembers, ...presetMembers(type.presets ?? [], reading)],
  }
}

function membersOf(input: InputValue): Map<string, InputValue> | null {
  if ('json' in input) {
    if (!isRecord(input.json)) return null
    return new Map(Object.entries(input.json).map(([name, json]) => [name, { json }]))
  }
  if (input.node.kind !== Kind.OBJECT) return null
  return new Map(input.node.fields.map(({ name, value }) => [name.value, { node: value }]))
}

function scalarValue(reading: InputReading, place: Place, input: InputValue): SentValue {
  if ('node' in input) {
    const { node } = input
    if (node.kind === Kind.VARIABLE) return passVariable(reading, place, node.name.value)
    return literal(reading, node)
  }
  return { kind: 'json', type: originalTypeText(reading, place.type), value: input.json }
}

/**
 * Passes a variable under its name to a place with a non-null scalar type. The remote server gets the variable's own
 * type.
 */
function passVariable(reading: InputReading, place: Place, name: string): SentValue {
  const { definition } = variableAt(reading, place, name)
  const { type, defaultValue } = definition
  const value = reading.variables[name] ?? null
  const defaultText = defaultValue ? print(defaultValue) : null
  return { kind: 'variable', name, type: originalNodeText(reading, type), defaultText, value }
}

/** Converts a literal of a scalar. It may contain variables if the scalar is a custom scalar. */
function literal(reading: InputReading, node: ValueNode): SentValue {
  switch (node.kind) {
    case Kind.VARIABLE: {
      const definition = reading.definitions.get(node.name.value)
      const type = definition ? originalNodeText(reading, definition.type) : 'String'
      return { kind: 'json', type, value: reading.variables[node.name.value] ?? null }
    }
    case Kind.LIST:
      return { kind: 'list', items: node.values.map((item) => literal(reading, item)) }
    case Kind.OBJECT: {
      const members = node.fields.map(({ name, value }) => ({
        name: name.value,
        value: literal(reading, value),
      }))
      return { kind: 'object', members }
    }
    case Kind.STRING:
      return { kind: 'text', text: JSON.stringify(node.value) }
    default:
      return { kind: 'text', text: print(node) }
  }
}

/** Returns the type in GraphQL's notation, with its name on the remote server. */
function originalTypeText(reading: InputReading, type: TypeRef): string {
  if (type.kind === 'required') return `${originalTypeText(reading, type.of)}!`
  return type.kind === 'list'
    ? `[${originalTypeText(reading, type.of)}]`
    : reading.originalType(type.name)
}

function originalNodeText(reading: InputReading, node: TypeNode): string {
  if (node.kind === Kind.NON_NULL_TYPE) return `${originalNodeText(reading, node.type)}!`
  if (node.kind === Kind.LIST_TYPE) return `[${originalNodeText(reading, node.type)}]`
  return reading.originalType(node.name.value)
}
