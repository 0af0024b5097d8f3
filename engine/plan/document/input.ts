import { Kind, print, type TypeNode, type ValueNode } from 'graphql/language/index.js'
import { isNumeral, numeral } from '../../../lib/exact-json.ts'
import { isRecord, member } from '../../json/record.ts'
import type { InputField, InputType, TypeRef } from '../../schema/graphql-types.ts'
import { typeText } from '../../schema/graphql-types.ts'
import { invalid, type Planner } from '../planner.ts'
import type { Shape, Variables } from './decision.ts'

/**
 * A value of the request, which is read step by step. What is read of a variable is noted as a decision, so
 * that the plan depends on no more of it than necessary.
 */
export type Input = { path: string; type: TypeRef } & (
  | { kind: 'literal'; node: ValueNode }
  | { kind: 'variable'; name: string; keys: readonly (string | number)[] }
  | { kind: 'absent' }
)

/** The kind of an input's value, with its items or members. */
export type Look =
  | { kind: 'null' }
  | { kind: 'list'; items: readonly Input[] }
  | { kind: 'object'; entries: readonly (readonly [string, Input])[] }
  | { kind: 'leaf' }

/**
 * The value for a place of the given type.
 *
 * @throws validation-failed if a variable's declared type does not fit
 */
export function inputAt(
  planner: Planner,
  node: ValueNode | undefined,
  place: { type: TypeRef; path: string },
  placeHasDefault = false,
): Input {
  if (node === undefined) return { ...place, kind: 'absent' }
  if (node.kind !== Kind.VARIABLE) return { ...place, kind: 'literal', node }
  const name = node.name.value
  const definition = planner.definitions.get(name)
  if (!definition) throw invalid(place.path, `unbound variable "${name}"`)
  const hasDefault =
    placeHasDefault ||
    (definition.defaultValue !== undefined && definition.defaultValue.kind !== Kind.NULL)
  if (!fits(definition.type, place.type, hasDefault))
    throw invalid(
      place.path,
      `variable '${name}' is declared as '${print(definition.type)}', but used where '${typeText(place.type)}' is expected`,
    )
  return { ...place, kind: 'variable', name, keys: [] }
}

/** The value of an argument or of an object's member. */
export function inputOf(
  planner: Planner,
  node: ValueNode | undefined,
  { type, defaultText }: InputField,
  path: string,
): Input {
  return inputAt(planner, node, { type, path }, defaultText !== null)
}

/** Whether a variable that is declared with one type may be used where another is expected. */
function fits(declared: TypeNode, expected: TypeRef, hasDefault: boolean): boolean {
  if (expected.kind === 'required' && declared.kind !== Kind.NON_NULL_TYPE && !hasDefault)
    return false
  return looksLike(declared, expected)
}

/** Whether two types are equal if `!` is ignored, as Hasura does for the items of lists. */
function looksLike(declared: TypeNode, expected: TypeRef): boolean {
  if (declared.kind === Kind.NON_NULL_TYPE) return looksLike(declared.type, expected)
  if (expected.kind === 'required') return looksLike(declared, expected.of)
  // A single item may stand for a list only if it is a literal.
  if (expected.kind === 'list')
    return declared.kind === Kind.LIST_TYPE && looksLike(declared.type, expected.of)
  return declared.kind === Kind.NAMED_TYPE && declared.name.value === expected.name
}

/** Reads one level of an input. As in Hasura, a variable that is not given is null. */
function look(planner: Planner, input: Input): Look {
  if (input.kind === 'absent') return { kind: 'null' }
  if (input.kind === 'literal') return lookAtNode(planner, input.node, input)
  const value = variableAt(input, planner.variables)
  note(planner, input, shapeOf(value))
  if (value === undefined || value === null) return { kind: 'null' }
  if (Array.isArray(value)) return { kind: 'list', items: value.map((_, i) => below(input, i)) }
  if (!isRecord(value)) return { kind: 'leaf' }
  return {
    kind: 'object',
    entries: Object.keys(value).map((key) => [key, below(input, key)] as const),
  }
}

type FromVariable = Extract<Input, { kind: 'variable' }>

function lookAtNode(
  planner: Planner,
  node: ValueNode,
  place: { type: TypeRef; path: string },
): Look {
  if (node.kind === Kind.NULL) return { kind: 'null' }
  if (node.kind === Kind.LIST) {
    const type = itemType(place.type)
    const items = node.values.map((item, i) =>
      inputAt(planner, item, { type, path: `${place.path}[${i}]` }),
    )
    return { kind: 'list', items }
  }
  if (node.kind !== Kind.OBJECT) return { kind: 'leaf' }
  const entries = node.fields.map(({ name, value }) => {
    const path = `${place.path}.${name.value}`
    const member = memberOf(place.type, name.value)
    // An unknown member is kept here, and refused by the caller, who knows the type's fields.
    const unknown: Input = { path, type: place.type, kind: 'literal', node: value }
    return [name.value, member ? inputOf(planner, value, member, path) : unknown] as const
  })
  return { kind: 'object', entries }
}

function below(input: FromVariable, key: string | number): Input {
  const isItem = typeof key === 'number'
  const type = isItem ? itemType(input.type) : (memberOf(input.type, key)?.type ?? input.type)
  const path = isItem ? `${input.path}[${key}]` : `${input.path}.${key}`
  return { ...input, type, path, keys: [...input.keys, key] }
}

function itemType(type: TypeRef): TypeRef {
  if (type.kind === 'required') return itemType(type.of)
  return type.kind === 'list' ? type.of : type
}

function memberOf(type: TypeRef, name: string): InputField | undefined {
  return inputTypeOf(type)?.fields().get(name)
}

function inputTypeOf(type: TypeRef): InputType | null {
  if (type.kind === 'required') return inputTypeOf(type.of)
  return type.kind === 'input' ? type : null
}

/** The value that a variable has at this place, for one run. */
export function variableAt(
  { name, keys }: { name: string; keys: readonly (string | number)[] },
  variables: Variables,
): unknown {
  return keys.reduce<unknown>(member, Object.hasOwn(variables, name) ? variables[name] : undefined)
}

/** Notes that the plan depends on this much of a variable. */
function note(planner: Planner, { name: variable, keys }: FromVariable, shape: Shape): void {
  planner.decisions.push({ variable, keys, shape })
}

function shapeOf(value: unknown): Shape {
  if (value === undefined || value === null) return { kind: 'null' }
  if (Array.isArray(value)) return { kind: 'list', length: value.length }
  if (isRecord(value)) return { kind: 'object', keys: Object.keys(value) }
  return { kind: 'exactly', value }
}

/** Whether a value other than null is given; of a variable, the plan then depends on nothing else. */
export function isGiven(planner: Planner, input: Input): boolean {
  if (input.kind === 'absent') return false
  if (input.kind === 'literal') return input.node.kind !== Kind.NULL
  const value = variableAt(input, planner.variables)
  const given = value !== undefined && value !== null
  note(planner, input, { kind: given ? 'value' : 'null' })
  return given
}

/** The fields of an input object, with their declarations, in the order given. */
export function members(planner: Planner, input: Input): readonly Member[] {
  const type = inputTypeOf(input.type)
  const seen = look(planner, input)
  if (seen.kind !== 'object' || type === null)
    throw invalid(
      input.path,
      `expected an object for type '${typeText(nullable(input.type))}', but found ${found(planner, input)}`,
    )
  const fields = type.fields()
  const given = seen.entries.map(([key, value]) => {
    const field = fields.get(key)
    if (!field) throw invalid(value.path, `field '${key}' not found in type: '${type.name}'`)
    return { field, value }
  })
  for (const field of fields.values())
    if (isRequired(field) && !seen.entries.some(([key]) => key === field.name))
      throw invalid(`${input.path}.${field.name}`, `missing required field '${field.name}'`)
  return given
}

export type Member = { field: InputField; value: Input }

function isRequired({ type, defaultText }: InputField): boolean {
  return type.kind === 'required' && defaultText === null
}

/** The items of a list; a single item counts as a list of one. */
export function items(planner: Planner, input: Input): readonly Input[] {
  const seen = look(planner, input)
  if (seen.kind === 'list') return seen.items
  if (seen.kind === 'null') throw invalid(input.path, 'expected a list, but found null')
  return [{ ...input, type: itemType(input.type), path: `${input.path}[0]` }]
}

/** A value that the plan itself depends on, such as an enum's name or a flag. */
export function constant(planner: Planner, input: Input): unknown {
  if (input.kind === 'absent') return undefined
  if (input.kind === 'literal') return literal(input.node, {})
  const value = variableAt(input, planner.variables)
  note(
    planner,
    input,
    isRecord(value) || Array.isArray(value) ? shapeOf(value) : { kind: 'exactly', value },
  )
  return value
}

/** The name of an enum's value. */
export function enumName(planner: Planner, input: Input): string {
  const type = nullable(input.type)
  const value = constant(planner, input)
  const asEnum = input.kind !== 'literal' || input.node.kind === Kind.ENUM
  if (typeof value !== 'string' || !asEnum || type.kind !== 'enum')
    throw invalid(
      input.path,
      `expected an enum value for type '${typeText(type)}', but found ${found(planner, input)}`,
    )
  if (!type.values.some(({ name }) => name === value))
    throw invalid(input.path, notOneOf(type, value))
  return value
}

/** The message about a value that an enum does not have. */
export function notOneOf(
  { name, values }: { name: string; values: readonly { name: string }[] },
  value: string,
): string {
  const all = values.map((one) => `'${one.name}'`).join(', ')
  return `expected one of the values [${all}] for type '${name}', but found '${value}'`
}

/** The type without its outermost "not null". */
export function nullable(type: TypeRef): TypeRef {
  return type.kind === 'required' ? type.of : type
}

/** A literal as JSON, variables filled in; numbers keep their digits. */
export function literal(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables[node.name.value] ?? null
    case Kind.INT:
    case Kind.FLOAT:
      return numeral(node.value)
    case Kind.LIST:
      return node.values.map((item) => literal(item, variables))
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map((f) => [f.name.value, literal(f.value, variables)]))
    case Kind.NULL:
      return null
    default:
      return node.value
  }
}

/** The name of an input's value in error messages. */
export function found(planner: Planner, input: Input): string {
  if (input.kind === 'absent') return 'null'
  if (input.kind === 'literal') return NODES[input.node.kind] ?? 'a value'
  return nameOf(variableAt(input, planner.variables))
}

const NODES: Readonly<Record<string, string>> = {
  [Kind.NULL]: 'null',
  [Kind.INT]: 'an integer',
  [Kind.FLOAT]: 'a float',
  [Kind.STRING]: 'a string',
  [Kind.BOOLEAN]: 'a boolean',
  [Kind.ENUM]: 'an enum value',
  [Kind.LIST]: 'a list',
  [Kind.OBJECT]: 'an object',
}

/** The name of a JSON value in error messages. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (isNumeral(value)) return 'a number'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
