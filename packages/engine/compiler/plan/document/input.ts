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
 * A value in the request: a literal in the document, a variable, or absent. It is read one level at a time. Each
 * part of a variable that is read is recorded. The plan serves only requests with the same values of these parts.
 */
export type Input = { path: string; type: TypeRef } & InputValue

/**
 * The kind of an input's value, with its items or members. Each item or member is created only when it is read. The
 * type of its variable is checked at that moment, so a fault in an earlier item is reported first.
 */
type InputLevel =
  | { kind: 'null' }
  | { kind: 'list'; items: readonly (() => Input)[] }
  | { kind: 'object'; entries: readonly (readonly [string, () => Input])[] }
  | { kind: 'leaf' }

/**
 * Returns the input for a value in the document. `place` has the type that the value must have.
 *
 * @throws validation-failed if the type of a variable does not fit
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

/** Returns the input for the value of an argument or of an object's member. */
export function inputOfField(
  planner: Planner,
  node: ValueNode | undefined,
  { type, defaultText }: InputField,
  path: string,
): Input {
  return inputAtPlace(planner, node, { type, path }, defaultText !== null)
}

/** Reads one level of an input. A missing variable is null, as in Hasura. */
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
    // An unknown member is kept. The caller of this function knows the type's fields, and rejects the member.
    const unknown: Input = { path, type: place.type, kind: 'literal', node: value }
    const readMember = () => (member ? inputOfField(planner, value, member, path) : unknown)
    return [name.value, readMember] as const
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

/** Records that the plan depends on this part of a variable. */
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

/**
 * Reports whether an input has a value other than null. If the input is a variable, the plan depends only on this fact.
 */
export function isPresent(planner: Planner, input: Input): boolean {
  if (input.kind === 'absent') return false
  if (input.kind === 'literal') return input.node.kind !== Kind.NULL
  const value = variableValue(input, planner.variables)
  const isNotNull = value !== undefined && value !== null
  noteDecision(planner, input, { kind: isNotNull ? 'value' : 'null' })
  return isNotNull
}

/**
 * Reports whether a number of rows is present. If it is a variable, the plan also depends on the number of its digits.
 * The plan's cost was estimated for this magnitude, so a plan for ten rows must not serve a million rows.
 */
export function isCountPresent(planner: Planner, input: Input): boolean {
  if (!isPresent(planner, input)) return false
  if (input.kind === 'variable')
    noteDecision(planner, input, {
      kind: 'magnitude',
      digits: digitCount(variableValue(input, planner.variables)),
    })
  return true
}

/** Records that the plan depends only on the text that `read` returns for a variable. */
export function noteReading(
  planner: Planner,
  input: Input,
  read: (value: unknown) => string,
): void {
  if (input.kind !== 'variable') return
  const text = read(variableValue(input, planner.variables))
  noteDecision(planner, input, { kind: 'reading', read, text })
}

/** Reads the members of an input object in the order in which its type declares them, which is Hasura's order. */
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

/**
 * Returns a function that finds a member of an input object by name. The function throws if a required member is
 * missing.
 */
export function objectMember(planner: Planner, input: Input): (name: string) => Input {
  return openObject(planner, input).member
}

function openObject(planner: Planner, input: Input) {
  const type = inputObjectType(input.type)
  const level = readLevel(planner, input)
  if (level.kind !== 'object' || type === null)
    throw validationError(
      input.path,
      `expected an object for type '${typeText(nullableType(input.type))}', but found ${describeInput(planner, input)}`,
    )
  const fields = type.fields()
  const unknown = level.entries.filter(([key]) => !fields.has(key))
  const [first] = inHashOrder(unknown, ([key]) => key)
  if (first)
    throw validationError(first[1]().path, `field '${first[0]}' not found in type: '${type.name}'`)
  const members = new Map(level.entries)
  const member = (name: string): Input => {
    const field = fields.get(name)
    const path = `${input.path}.${name}`
    return members.get(name)?.() ?? missingInput(field, path)
  }
  return { fields, member }
}

/** Returns the input of a missing field. @throws validation-failed if the field is required */
export function missingInput(field: InputField | undefined, path: string): Input {
  if (field?.type.kind === 'required' && field.defaultText === null)
    throw validationError(path, `missing required field '${field.name}'`)
  return { type: field?.type ?? UNKNOWN, path, kind: 'absent' }
}

/**
 * The type of an input that the role's schema does not have. The input is always absent, so its type does not matter.
 */
const UNKNOWN: TypeRef = { kind: 'scalar', name: 'Boolean', description: null, type: null }

/** Reads the items of a list in order. A single value counts as a list with one item. */
export function readItems<T>(
  planner: Planner,
  input: Input,
  read: (item: Input, index: number) => T,
): T[] {
  return Array.from(itemsOf(planner, input), read)
}

/**
 * Returns the items of a list in order. Each item is created when it is read. A single value counts as a list with one
 * item.
 */
export function* itemsOf(planner: Planner, input: Input): Generator<Input, void> {
  const level = readLevel(planner, input)
  if (level.kind === 'null') throw validationError(input.path, 'expected a list, but found null')
  if (level.kind !== 'list')
    return yield { ...input, type: itemType(input.type), path: `${input.path}[0]` }
  for (const item of level.items) yield item()
}

/** Returns a value that the plan itself depends on, for example a flag or the name of an enum's value. */
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

/** Returns the name of an enum's value. */
export function enumName(planner: Planner, input: Input): string {
  const type = nullableType(input.type)
  const value = constantValue(planner, input)
  const isEnumNode = input.kind !== 'literal' || input.node.kind === Kind.ENUM
  if (typeof value !== 'string' || !NAME.test(value) || !isEnumNode || type.kind !== 'enum')
    throw validationError(
      input.path,
      `expected an enum value for type '${typeText(type)}', but found ${describeInput(planner, input)}`,
    )
  if (!type.values.some(({ name }) => name === value))
    throw validationError(input.path, enumValueMessage(type, value))
  return value
}

/** Matches a name in GraphQL, for example the value of an enum. */
export const NAME = /^[_a-zA-Z]\w*$/

/** Removes the outermost non-null wrapping of a type. */
export function nullableType(type: TypeRef): TypeRef {
  return type.kind === 'required' ? type.of : type
}
