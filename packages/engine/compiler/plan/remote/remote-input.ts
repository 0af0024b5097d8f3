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

/** What values are read with. Without a session, while an operation is planned, presets are left out. */
export type Reading = {
  definitions: Planner['definitions']
  variables: Variables
  session: Session | null
  /** The own name of a remote schema's type. */
  originalType(name: string): string
  /** Whether a null is left out of what may be left out. */
  skipsNulls: boolean
}

/** A value as it is written in the document, or in a variable. */
type Given = { node: ValueNode } | { json: unknown }

/**
 * The value of an argument or of an input object's field; null if it is not sent. As in Hasura, values of scalars are left to
 * the remote server, variables in places that may be null are sent as they are, and defaults are sent, too.
 *
 * @throws validation-failed if it does not have the shape of its type
 */
export function sentInput(
  reading: Reading,
  { name, type, defaultText }: InputField,
  given: Given | null,
  path: string,
): SentValue | null {
  const value = given && sentValue(reading, { type, path, hasDefault: defaultText !== null }, given)
  const isSkipped = reading.skipsNulls && type.kind !== 'required' && value === NULL
  if (value && !isSkipped) return value
  if (defaultText !== null) return { kind: 'text', text: defaultText }
  if (type.kind === 'required') throw validationError(path, `missing required field '${name}'`)
  return null
}

type Place = { type: TypeRef; path: string; hasDefault?: boolean }

function sentValue(reading: Reading, place: Place, given: Given): SentValue {
  const { type } = place
  if (type.kind === 'required')
    return requiredValue(reading, { ...place, type: type.of }, given, type)
  const value = withoutVariable(reading, place, given)
  const isNull = 'node' in value ? value.node.kind === Kind.NULL : value.json == null
  return isNull ? NULL : requiredValue(reading, place, value, type)
}

const NULL: SentValue = { kind: 'text', text: 'null' }

/** `whole` is the type with its outermost "not null". */
function requiredValue(reading: Reading, place: Place, given: Given, whole: TypeRef): SentValue {
  const { type, path } = place
  const peeled = () => withoutVariable(reading, { ...place, type: whole }, given)
  switch (type.kind) {
    case 'list':
      return listValue(reading, { type: type.of, path }, peeled())
    case 'enum':
      return { kind: 'text', text: enumValue(type, peeled(), path) }
    case 'input':
      return objectValue(reading, type, peeled(), path)
    default:
      return scalarValue(reading, { ...place, type: whole }, given)
  }
}

/** The value of a variable, if one is given, whose declared type must fit. */
function withoutVariable(reading: Reading, place: Place, given: Given): Given {
  if (!('node' in given) || given.node.kind !== Kind.VARIABLE) return given
  const { name } = variableAt(reading, place, given.node.name.value)
  return { json: Object.hasOwn(reading.variables, name) ? reading.variables[name] : null }
}

function variableAt(
  { definitions }: Reading,
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

function listValue(reading: Reading, { type, path }: Place, given: Given): SentValue {
  // A single literal stands for a list of one, and is sent as it is.
  if ('node' in given && given.node.kind !== Kind.LIST && given.node.kind !== Kind.NULL)
    return sentValue(reading, { type, path: `${path}[0]` }, given)
  const items = 'node' in given ? nodeItems(given.node) : jsonItems(given.json)
  if (items === null) throw validationError(path, 'expected a list, but found null')
  return {
    kind: 'list',
    items: items.map((item, i) => sentValue(reading, { type, path: `${path}[${i}]` }, item)),
  }
}

function nodeItems(node: ValueNode): Given[] | null {
  return node.kind === Kind.LIST ? node.values.map((item) => ({ node: item })) : null
}

/** The items; a single value counts as a list of one. */
function jsonItems(json: unknown): Given[] | null {
  if (json === null || json === undefined) return null
  return isList(json) ? json.map((item) => ({ json: item })) : [{ json }]
}

function enumValue(type: EnumType, given: Given, path: string): string {
  const isNode = 'node' in given
  const found = isNode ? describeNode(given.node) : describeValue(given.json)
  const value = isNode ? given.node.kind === Kind.ENUM && given.node.value : given.json
  if (typeof value !== 'string' || !NAME.test(value)) throw notAnEnumValue(type, found, path)
  if (type.values.some(({ name }) => name === value)) return value
  throw validationError(path, enumValueMessage(type, value))
}

function objectValue(reading: Reading, type: InputType, given: Given, path: string): SentValue {
  const members = membersOf(given)
  if (!members) {
    const found = 'node' in given ? describeNode(given.node) : describeValue(given.json)
    throw validationError(path, `expected an object for type '${type.name}', but found ${found}`)
  }
  const fields = type.fields()
  const unknown = [...members.keys()].filter((name) => !fields.has(name))
  const [first] = inHashOrder(unknown, (name) => name)
  if (first !== undefined)
    throw validationError(`${path}.${first}`, `field '${first}' not found in type: '${type.name}'`)
  const sent = [...fields.values()].flatMap((field): SentMember[] => {
    const own = `${path}.${field.name}`
    const value = sentInput(reading, field, members.get(field.name) ?? null, own)
    return value ? [{ name: field.name, value }] : []
  })
  return { kind: 'object', members: [...sent, ...presetMembers(type.presets ?? [], reading)] }
}

function membersOf(given: Given): Map<string, Given> | null {
  if ('json' in given) {
    if (!isRecord(given.json)) return null
    return new Map(Object.entries(given.json).map(([name, json]) => [name, { json }]))
  }
  if (given.node.kind !== Kind.OBJECT) return null
  return new Map(given.node.fields.map(({ name, value }) => [name.value, { node: value }]))
}

function scalarValue(reading: Reading, place: Place, given: Given): SentValue {
  if ('node' in given) {
    const { node } = given
    if (node.kind === Kind.VARIABLE) return callersVariable(reading, place, node.name.value)
    return literal(reading, node)
  }
  return { kind: 'json', type: ownTypeText(reading, place.type), value: given.json }
}

/** A variable where none but a value of exactly its type can be: it is sent under its name. */
function callersVariable(reading: Reading, place: Place, name: string): SentValue {
  const { definition } = variableAt(reading, place, name)
  const { type, defaultValue } = definition
  const value = reading.variables[name] ?? null
  const defaultText = defaultValue ? print(defaultValue) : null
  return { kind: 'variable', name, type: ownNodeText(reading, type), defaultText, value }
}

/** A literal of a scalar, which may contain variables if the scalar is of the server's own making. */
function literal(reading: Reading, node: ValueNode): SentValue {
  switch (node.kind) {
    case Kind.VARIABLE: {
      const definition = reading.definitions.get(node.name.value)
      const type = definition ? ownNodeText(reading, definition.type) : 'String'
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

/** The type in GraphQL's notation, by its name on the remote server. */
function ownTypeText(reading: Reading, type: TypeRef): string {
  if (type.kind === 'required') return `${ownTypeText(reading, type.of)}!`
  return type.kind === 'list'
    ? `[${ownTypeText(reading, type.of)}]`
    : reading.originalType(type.name)
}

function ownNodeText(reading: Reading, node: TypeNode): string {
  if (node.kind === Kind.NON_NULL_TYPE) return `${ownNodeText(reading, node.type)}!`
  if (node.kind === Kind.LIST_TYPE) return `[${ownNodeText(reading, node.type)}]`
  return reading.originalType(node.name.value)
}
