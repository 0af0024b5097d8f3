import { Kind, print, type ValueNode } from 'graphql/language/index.js'
import { validationError } from '../../../errors.ts'
import { isList, isRecord } from '../../../json/record.ts'
import type { InputField, InputType, TypeRef } from '../../schema/graphql-types.ts'
import { typeText } from '../../schema/graphql-types.ts'
import { inHashOrder } from '../../schema/hash-order.ts'
import { digitCount, type ValueShape } from '../decision.ts'
import type { Planner } from '../planner.ts'
import { describeInput, type InputValue } from './describe-input.ts'
import { enumValueMessage } from './describe-value.ts'
import { literalValue, variableValue } from './literal.ts'
import { variableFits } from './variable-types.ts'

/**
 * A value in the request: written in the document, in a variable, or left out. It is read one level at a time, and
 * what is read of a variable is noted as a decision, so that the plan depends on no more of it than necessary.
 */
export type Input = { path: string; type: TypeRef } & InputValue

/**
 * The kind of an input's value, with its items or members: these are made when it is their turn, because a variable that
 * does not fit its place is an error, and what is wrong before it is told instead.
 */
type InputLevel =
  | { kind: 'null' }
  | { kind: 'list'; items: readonly (() => Input)[] }
  | { kind: 'object'; entries: readonly (readonly [string, () => Input])[] }
  | { kind: 'leaf' }

/**
 * The value for a place of the given type.
 *
 * @throws validation-failed if a variable's declared type does not fit
 */
export function inputAtPlace(
  planner: Planner,
  node: ValueNode | undefined,
  place: { type: TypeRef; path: string },
  placeHasDefault = false,
): Input {
  if (node === undefined) return { ...place, kind: 'absent' }
  if (node.kind !== Kind.VARIABLE) return { ...place, kind: 'literal', node }
  const name = node.name.value
  const definition = planner.definitions.get(name)
  if (!definition) throw validationError(place.path, `unbound variable "${name}"`)
  const hasDefault =
    placeHasDefault ||
    (definition.defaultValue !== undefined && definition.defaultValue.kind !== Kind.NULL)
  if (!variableFits(definition.type, place.type, hasDefault))
    throw validationError(
      place.path,
      `variable '${name}' is declared as '${print(definition.type)}', but used where '${typeText(place.type)}' is expected`,
    )
  return { ...place, kind: 'variable', name, keys: [] }
}

/** The value of an argument or of an object's member. */
export function inputOfField(
  planner: Planner,
  node: ValueNode | undefined,
  { type, defaultText }: InputField,
  path: string,
): Input {
  return inputAtPlace(planner, node, { type, path }, defaultText !== null)
}

/** Reads one level of an input. As in Hasura, a variable that is not given is null. */
function readLevel(planner: Planner, input: Input): InputLevel {
  if (input.kind === 'absent') return { kind: 'null' }
  if (input.kind === 'literal') return readNode(planner, input.node, input)
  const value = variableValue(input, planner.variables)
  noteDecision(planner, input, valueShape(value))
  if (value === undefined || value === null) return { kind: 'null' }
  if (isList(value)) return { kind: 'list', items: value.map((_, i) => () => inputBelow(input, i)) }
  if (!isRecord(value)) return { kind: 'leaf' }
  return {
    kind: 'object',
    entries: Object.keys(value).map((key) => [key, () => inputBelow(input, key)] as const),
  }
}

type FromVariable = Extract<Input, { kind: 'variable' }>

function readNode(
  planner: Planner,
  node: ValueNode,
  place: { type: TypeRef; path: string },
): InputLevel {
  if (node.kind === Kind.NULL) return { kind: 'null' }
  if (node.kind === Kind.LIST) {
    const type = itemType(place.type)
    const items = node.values.map(
      (item, i) => () => inputAtPlace(planner, item, { type, path: `${place.path}[${i}]` }),
    )
    return { kind: 'list', items }
  }
  if (node.kind !== Kind.OBJECT) return { kind: 'leaf' }
  const entries = node.fields.map(({ name, value }) => {
    const path = `${place.path}.${name.value}`
    const member = inputMember(place.type, name.value)
    // An unknown member is kept here, and refused by the caller, who knows the type's fields.
    const unknown: Input = { path, type: place.type, kind: 'literal', node: value }
    const read = () => (member ? inputOfField(planner, value, member, path) : unknown)
    return [name.value, read] as const
  })
  return { kind: 'object', entries }
}

function inputBelow(input: FromVariable, key: string | number): Input {
  const isItem = typeof key === 'number'
  const type = isItem ? itemType(input.type) : (inputMember(input.type, key)?.type ?? input.type)
  const path = isItem ? `${input.path}[${key}]` : `${input.path}.${key}`
  return { ...input, type, path, keys: [...input.keys, key] }
}

function itemType(type: TypeRef): TypeRef {
  if (type.kind === 'required') return itemType(type.of)
  return type.kind === 'list' ? type.of : type
}

function inputMember(type: TypeRef, name: string): InputField | undefined {
  return inputObjectType(type)?.fields().get(name)
}

function inputObjectType(type: TypeRef): InputType | null {
  if (type.kind === 'required') return inputObjectType(type.of)
  return type.kind === 'input' ? type : null
}

/** Notes that the plan depends on this much of a variable. */
function noteDecision(
  planner: Planner,
  { name: variable, keys }: FromVariable,
  shape: ValueShape,
): void {
  planner.notes.addDecision({ variable, keys, shape })
}

function valueShape(value: unknown): ValueShape {
  if (value === undefined || value === null) return { kind: 'null' }
  if (Array.isArray(value)) return { kind: 'list', length: value.length }
  if (isRecord(value)) return { kind: 'object', keys: Object.keys(value) }
  return { kind: 'exactly', value }
}

/** Whether a value other than null is given; of a variable, the plan then depends on nothing else. */
export function isGiven(planner: Planner, input: Input): boolean {
  if (input.kind === 'absent') return false
  if (input.kind === 'literal') return input.node.kind !== Kind.NULL
  const value = variableValue(input, planner.variables)
  const given = value !== undefined && value !== null
  noteDecision(planner, input, { kind: given ? 'value' : 'null' })
  return given
}

/**
 * Whether a number of rows is given. Of a variable, the plan then also depends on the magnitude, since what the plan
 * costs was estimated for it: who may ask for ten rows may not therefore ask for a million.
 */
export function isCountGiven(planner: Planner, input: Input): boolean {
  if (!isGiven(planner, input)) return false
  if (input.kind === 'variable')
    noteDecision(planner, input, {
      kind: 'magnitude',
      digits: digitCount(variableValue(input, planner.variables)),
    })
  return true
}

/** Notes that the plan depends on what is read of a variable, and on no more of it. */
export function noteReading(
  planner: Planner,
  input: Input,
  read: (value: unknown) => string,
): void {
  if (input.kind !== 'variable') return
  const text = read(variableValue(input, planner.variables))
  noteDecision(planner, input, { kind: 'reading', read, text })
}

/** Reads the members that an input object has, in the order in which its type declares them, which is Hasura's. */
export function readMembers<T>(
  planner: Planner,
  input: Input,
  read: (member: ObjectMember) => T,
): T[] {
  const { fields, member } = openObject(planner, input)
  return [...fields.values()].flatMap((field) => {
    const value = member(field.name)
    return value.kind === 'absent' ? [] : [read({ field, value })]
  })
}

export type ObjectMember = { field: InputField; value: Input }

/** The members of an input object by name; asking for one that is required and missing is an error. */
export function objectMember(planner: Planner, input: Input): (name: string) => Input {
  return openObject(planner, input).member
}

function openObject(planner: Planner, input: Input) {
  const type = inputObjectType(input.type)
  const seen = readLevel(planner, input)
  if (seen.kind !== 'object' || type === null)
    throw validationError(
      input.path,
      `expected an object for type '${typeText(nullableType(input.type))}', but found ${describeInput(planner, input)}`,
    )
  const fields = type.fields()
  const unknown = seen.entries.filter(([key]) => !fields.has(key))
  const [first] = inHashOrder(unknown, ([key]) => key)
  if (first)
    throw validationError(first[1]().path, `field '${first[0]}' not found in type: '${type.name}'`)
  const given = new Map(seen.entries)
  const member = (name: string): Input => {
    const field = fields.get(name)
    const path = `${input.path}.${name}`
    return given.get(name)?.() ?? missingInput(field, path)
  }
  return { fields, member }
}

/** The input of a field that is left out. @throws validation-failed if it is required */
export function missingInput(field: InputField | undefined, path: string): Input {
  if (field?.type.kind === 'required' && field.defaultText === null)
    throw validationError(path, `missing required field '${field.name}'`)
  return { type: field?.type ?? UNKNOWN, path, kind: 'absent' }
}

/** The type of what the role's schema does not have, and so cannot be given. */
const UNKNOWN: TypeRef = { kind: 'scalar', name: 'Boolean', description: null, type: null }

/** Reads the items of a list in their order; a single item counts as a list of one. */
export function readItems<T>(
  planner: Planner,
  input: Input,
  read: (item: Input, index: number) => T,
): T[] {
  return Array.from(itemsOf(planner, input), read)
}

/** The items of a list in their order, each made when it is its turn; a single item counts as a list of one. */
export function* itemsOf(planner: Planner, input: Input): Generator<Input, void> {
  const seen = readLevel(planner, input)
  if (seen.kind === 'null') throw validationError(input.path, 'expected a list, but found null')
  if (seen.kind !== 'list')
    return yield { ...input, type: itemType(input.type), path: `${input.path}[0]` }
  for (const item of seen.items) yield item()
}

/** A value that the plan itself depends on, such as an enum's name or a flag. */
export function constantValue(planner: Planner, input: Input): unknown {
  if (input.kind === 'absent') return undefined
  if (input.kind === 'literal') return literalValue(input.node, {})
  const value = variableValue(input, planner.variables)
  noteDecision(
    planner,
    input,
    isRecord(value) || Array.isArray(value) ? valueShape(value) : { kind: 'exactly', value },
  )
  return value
}

/** The name of an enum's value. */
export function enumName(planner: Planner, input: Input): string {
  const type = nullableType(input.type)
  const value = constantValue(planner, input)
  const asEnum = input.kind !== 'literal' || input.node.kind === Kind.ENUM
  if (typeof value !== 'string' || !NAME.test(value) || !asEnum || type.kind !== 'enum')
    throw validationError(
      input.path,
      `expected an enum value for type '${typeText(type)}', but found ${describeInput(planner, input)}`,
    )
  if (!type.values.some(({ name }) => name === value))
    throw validationError(input.path, enumValueMessage(type, value))
  return value
}

/** A name in GraphQL, which the value of an enum is. */
export const NAME = /^[_a-zA-Z]\w*$/

/** The type without its outermost "not null". */
export function nullableType(type: TypeRef): TypeRef {
  return type.kind === 'required' ? type.of : type
}
