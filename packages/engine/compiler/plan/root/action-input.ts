import { Kind, type ValueNode } from 'graphql/language/index.js'
import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { EngineError, validationError } from '../../../errors.ts'
import { integerText } from '../../../json/decimal.ts'
import { ownValue } from '../../../json/own-value.ts'
import { isList, isRecord } from '../../../json/record.ts'
import { notWholeMessage } from '../../../postgres/accepted-value.ts'
import { builtInType } from '../../../postgres/scalars.ts'
import { namedType, type TypeRef } from '../../schema/graphql-types.ts'
import { inHashOrder } from '../../schema/hash-order.ts'
import { describeNode, nodeBelow } from '../document/describe-input.ts'
import { describeValue } from '../document/describe-value.ts'
import { NAME } from '../document/input.ts'
import { notAnEnumValue, valueCheck } from '../document/value-check.ts'

/** A place in an action's arguments. For a literal it has the node, which error messages describe. */
type Place = { path: string; node: ValueNode | null; isInObject: boolean }

/**
 * Checks an action's argument against its type, at any depth. Leaves the values of custom scalars to the handler.
 *
 * Like Hasura, reads an argument of a built-in type other than ID like a column of the corresponding database type. The
 * argument may be null although its type is required. Members of input objects are read as in GraphQL.
 *
 * @throws validation-failed, parse-failed
 */
export function checkArgument(
  type: TypeRef,
  value: unknown,
  { path, node }: Pick<Place, 'path' | 'node'>,
): unknown {
  const isNull = value === null || value === undefined
  if (isNull && isDatabaseType(namedType(type))) return null
  return checkValue(type, value, { path, node, isInObject: false })
}

function isDatabaseType(type: TypeRef): boolean {
  if (type.kind !== 'scalar') return false
  return type.type !== null || Object.hasOwn(DATABASE_TYPES, type.name)
}

/** The database types for GraphQL's built-in scalars, except ID. */
const DATABASE_TYPES: Readonly<Record<string, string>> = {
  Int: 'int4',
  Float: 'float4',
  String: 'text',
  Boolean: 'bool',
}

function checkValue(type: TypeRef, value: unknown, place: Place): unknown {
  if (type.kind === 'required') return checkRequired(type.of, value, place)
  return value === null || value === undefined ? null : checkRequired(type, value, place)
}

function checkRequired(type: TypeRef, value: unknown, place: Place): unknown {
  switch (type.kind) {
    case 'list':
      return checkList(type.of, value, place)
    case 'input':
      return checkInputObject(type, value, place)
    case 'enum':
      return checkEnum(type, value, place)
    default:
      return type.kind === 'scalar' ? checkScalar(type, value, place) : value
  }
}

function checkList(itemType: TypeRef, value: unknown, place: Place): unknown {
  if (value === null || value === undefined) throw mismatchError('a list', value, place)
  const items = isList(value) ? value : [value]
  return items.map((item, i) => {
    const node = isList(value) ? nodeBelow(place.node, i) : place.node
    return checkValue(itemType, item, { ...place, node, path: `${place.path}[${i}]` })
  })
}

function checkEnum(
  type: Extract<TypeRef, { kind: 'enum' }>,
  value: unknown,
  { path, node }: Place,
): unknown {
  const isQuoted = node !== null && node.kind !== Kind.ENUM && node.kind !== Kind.VARIABLE
  if (isQuoted || typeof value !== 'string' || !NAME.test(value))
    throw notAnEnumValue(type, describe(value, node), path)
  return valueCheck({ type, path }, builtInType('text'))(value)
}

function checkInputObject(
  type: Extract<TypeRef, { kind: 'input' }>,
  value: unknown,
  { path, node }: Place,
): unknown {
  if (!isRecord(value))
    throw mismatchError(`an object for type '${type.name}'`, value, { path, node })
  const fields = type.fields()
  const unknown = Object.keys(value).filter((key) => !fields.has(key))
  const [first] = inHashOrder(unknown, (key) => key)
  if (first !== undefined)
    throw validationError(`${path}.${first}`, `field '${first}' not found in type: '${type.name}'`)
  const members = [...fields.values()].flatMap(({ name, type }) => {
    const memberPath = `${path}.${name}`
    if (Object.hasOwn(value, name)) {
      const place = { path: memberPath, node: nodeBelow(node, name), isInObject: true }
      return [[name, checkValue(type, value[name], place)]]
    }
    if (type.kind === 'required')
      throw validationError(memberPath, `missing required field '${name}'`)
    return []
  })
  return Object.fromEntries(members)
}

function checkScalar(
  type: Extract<TypeRef, { kind: 'scalar' }>,
  value: unknown,
  place: Place,
): unknown {
  const { name } = type
  const builtInName = ownValue(DATABASE_TYPES, name)
  if (name === 'ID') return checkId(value, place)
  if (builtInName && place.isInObject) return checkBuiltIn(name, value, place)
  const databaseType = builtInName ? builtInType(builtInName) : type.type
  // A value that is null here is an item of a list. The check accepts it.
  if (databaseType) valueCheck({ type, path: place.path }, databaseType)(value)
  return value
}

/** Checks an ID. Like Hasura, converts an integer to text. */
function checkId(value: unknown, place: Place): string {
  if (typeof value === 'string') return value
  const text = isNumeral(value) ? integerText(value, 32) : null
  if (text === null) throw mismatchError("a String or a 32-bit integer for type 'ID'", value, place)
  return text
}

const EXPECTED: Readonly<Record<string, string>> = {
  Int: 'a 32-bit integer',
  Float: 'a float',
  String: 'a string',
  Boolean: 'a boolean',
}

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: isNumeral,
  Float: isNumeral,
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
}

function checkBuiltIn(name: string, value: unknown, place: Place): unknown {
  const isFloat = name === 'Int' && place.node?.kind === Kind.FLOAT
  if (isFloat || !ownValue(KINDS, name)?.(value))
    throw mismatchError(`${ownValue(EXPECTED, name)} for type '${name}'`, value, place)
  if (name === 'Int' && isNumeral(value) && integerText(value, 32) === null)
    throw new EngineError('parse-failed', notWholeMessage(value), { path: place.path })
  return value
}

function mismatchError(
  expected: string,
  value: unknown,
  { path, node }: Pick<Place, 'path' | 'node'>,
): EngineError {
  return validationError(path, `expected ${expected}, but found ${describe(value, node)}`)
}

function describe(value: unknown, node: ValueNode | null): string {
  return node === null || node.kind === Kind.VARIABLE ? describeValue(value) : describeNode(node)
}
