import fc from 'fast-check'
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { RandomWorld } from '../worlds/world.ts'
import { type InputValue, inputValues } from './input-values.ts'
import { malformed } from './malformed.ts'
import type { Operation } from './operation.ts'

/** A part of a document, with the variables that it uses. */
type Part = { text: string; variables: readonly Variable[]; isOrdered: boolean }
type Variable = { name: string; type: string; json: unknown }

type Field = GraphQLField<unknown, unknown>
type Known = Pick<RandomWorld, 'keys' | 'values'>

/** Operations in a role's schema, of all its root fields; one in twelve is malformed. */
export function randomOperation(
  schema: GraphQLSchema,
  known: Known,
  kind: Operation['kind'],
): fc.Arbitrary<Operation> {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
  const fields = Object.values(root?.getFields() ?? {})
  if (fields.length === 0) return fc.constant(nothingToAsk(kind))
  const selected = fc.constantFrom(...fields).chain((field) => fieldPart(field, known, 2))
  return fc
    .tuple(
      fc.array(selected, { minLength: 1, maxLength: kind === 'query' ? 2 : 3 }),
      fc.nat({ max: 11 }),
      fc.boolean(),
      fc.nat(),
    )
    .map(([parts, luck, isNamed, seed]) => {
      const operation = operationOf(kind, parts, isNamed)
      return luck === 0 ? malformed(operation, seed) : operation
    })
}

function nothingToAsk(kind: Operation['kind']): Operation {
  return { kind, body: { query: `${kind} { nothing }` }, isOrdered: true }
}

function operationOf(kind: Operation['kind'], parts: readonly Part[], isNamed: boolean): Operation {
  const variables = parts.flatMap((part) => part.variables)
  const declared = variables.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const head = `${kind}${isNamed || declared ? ' named' : ''}${declared ? `(${declared})` : ''}`
  const fields = parts.map(({ text }, i) => (i === 0 ? text : `f${i}: ${text}`))
  return {
    kind,
    body: {
      query: `${head} { ${fields.join(' ')} }`,
      variables: Object.fromEntries(variables.map(({ name, json }) => [name, json])),
    },
    isOrdered: parts.every((part) => part.isOrdered),
  }
}

function fieldPart(field: Field, known: Known, depth: number): fc.Arbitrary<Part> {
  const ordering = orderingOf(field, known)
  const args = field.args
    .filter(({ name }) => ordering.total || !CUTTING.has(name))
    .map((argument) => argumentPart(argument, known, ordering.keys))
  return fc
    .tuple(fc.tuple(...args), selectionPart(field.type, known, depth))
    .map(([given, inner]) => {
      const written = distinctFirst(given.flatMap((one) => one ?? []))
      const list = written.length > 0 ? `(${written.map(({ text }) => text).join(', ')})` : ''
      return {
        text: `${field.name}${list}${inner.text}`,
        variables: [...written.flatMap(({ variables }) => variables), ...inner.variables],
        isOrdered: inner.isOrdered && (ordering.total || !isListField(field)),
      }
    })
}

/** The arguments with the columns of `distinct_on` first in the order, where PostgreSQL wants them. */
function distinctFirst(args: readonly Part[]): readonly Part[] {
  const distinct = args.find(({ text }) => text.startsWith('distinct_on: '))
  const columns = distinct?.text.match(/[a-z]\w*/g)?.slice(1) ?? []
  const first = columns.map((column) => `{${column}: asc}, `).join('')
  return args.map((argument) => ({
    ...argument,
    text: argument.text.replace(/^order_by: \[/, `order_by: [${first}`),
  }))
}

/** Arguments that choose some rows of an order; without a total order these could be any. */
const CUTTING: ReadonlySet<string> = new Set(['limit', 'offset', 'distinct_on'])

/** By which keys the field's rows can be ordered totally; none if they cannot, or need not be. */
function orderingOf(field: Field, { keys }: Known): { keys: readonly string[]; total: boolean } {
  const argument = field.args.find(({ name }) => name === 'order_by')
  const type = argument && getNamedType(argument.type)
  if (!isInputObjectType(type)) return { keys: [], total: !isListField(field) }
  const table = type.name.replace(/_order_by$/, '')
  const unique = keys[table] ?? []
  const total = unique.length > 0 && unique.every((key) => key in type.getFields())
  return { keys: total ? unique : [], total }
}

function isListField({ type }: Field): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type)
}

function argumentPart(
  { name, type }: GraphQLArgument,
  { values }: Known,
  keys: readonly string[],
): fc.Arbitrary<Part | null> {
  const value = inputValues(type, values, 3)
  if (name === 'order_by')
    return fc.option(value, { freq: 3 }).map((order) => plainPart(name, totalOrder(order, keys)))
  if (name === 'distinct_on')
    return fc.option(value, { freq: 3 }).map((given) => given && plainPart(name, given.literal))
  const wanted = isNonNullType(type) ? 30 : 2
  return fc.option(
    fc
      .tuple(value, fc.nat({ max: 3 }), fc.nat({ max: 999_999 }))
      .map(([given, luck, number]) =>
        luck === 0
          ? variablePart(name, String(type), given, number)
          : plainPart(name, given.literal),
      ),
    { freq: wanted },
  )
}

/** The order with all keys after it, each ascending. */
function totalOrder(order: InputValue | null, keys: readonly string[]): string {
  const last = keys.map((key) => `{${key}: asc}`)
  const first = order === null ? [] : [order.literal.replace(/^\[(.*)\]$/s, '$1')].filter(Boolean)
  return `[${[...first, ...last].join(', ')}]`
}

function plainPart(name: string, literal: string): Part {
  return { text: `${name}: ${literal}`, variables: [], isOrdered: true }
}

function variablePart(name: string, type: string, { json }: InputValue, number: number): Part {
  const variable = { name: `v${number}`, type, json }
  return { text: `${name}: $${variable.name}`, variables: [variable], isOrdered: true }
}

const NO_FIELDS: Part = { text: '', variables: [], isOrdered: true }

function selectionPart(type: GraphQLOutputType, known: Known, depth: number): fc.Arbitrary<Part> {
  const named = getNamedType(type)
  if (!isObjectType(named)) return fc.constant(NO_FIELDS)
  const fields = Object.values(named.getFields())
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)))
  const usable = depth > 0 ? fields : leaves
  if (usable.length === 0) return fc.constant({ ...NO_FIELDS, text: ' {__typename}' })
  return fc
    .shuffledSubarray(usable, { minLength: 1, maxLength: Math.min(4, usable.length) })
    .chain((chosen) => fc.tuple(...chosen.map((field) => fieldPart(field, known, depth - 1))))
    .map((parts) => ({
      text: ` {${parts.map(({ text }) => text).join(' ')}}`,
      variables: parts.flatMap(({ variables }) => variables),
      isOrdered: parts.every(({ isOrdered }) => isOrdered),
    }))
}
