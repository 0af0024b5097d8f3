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

/** A part of a document, with its variables. */
type Part = { text: string; variables: readonly Variable[]; isOrdered: boolean }
type Variable = { name: string; type: string; json: unknown }

type Field = GraphQLField<unknown, unknown>
type WorldData = Pick<RandomWorld, 'keys' | 'values'>

/** Generates operations with any root fields of a role's schema. One in twelve is malformed. */
export function randomOperation(
  schema: GraphQLSchema,
  data: WorldData,
  kind: Operation['kind'],
): fc.Arbitrary<Operation> {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
  const fields = Object.values(root?.getFields() ?? {})
  if (fields.length === 0) return fc.constant(nothingToAsk(kind))
  const rootField = fc.constantFrom(...fields).chain((field) => fieldPart(field, data, 2))
  return fc
    .tuple(
      fc.array(rootField, { minLength: 1, maxLength: kind === 'query' ? 2 : 3 }),
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
  const declarations = variables.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const name = isNamed || declarations ? ' named' : ''
  const head = `${kind}${name}${declarations ? `(${declarations})` : ''}`
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

function fieldPart(field: Field, data: WorldData, depth: number): fc.Arbitrary<Part> {
  const ordering = orderingOf(field, data)
  const usable = field.args.filter(({ name }) => ordering.total || !CUTTING.has(name))
  const distinct = usable.find(({ name }) => name === 'distinct_on')
  const distinctOn = distinct && fc.option(inputValues(distinct.type, data.values, 1), { freq: 3 })
  return (distinctOn ?? fc.constant(null))
    .chain((columns) => {
      const order = { first: columns ? namesIn(columns) : [], last: ordering.keys }
      const args = usable
        .filter((argument) => argument !== distinct)
        .map((argument) => argumentPart(argument, data, order))
      const distinctPart = columns && plainPart('distinct_on', columns.literal)
      return fc.tuple(
        fc.tuple(fc.constant(distinctPart), ...args),
        selectionPart(field.type, data, depth),
      )
    })
    .map(([optionalParts, inner]) => {
      const parts = optionalParts.flatMap((part) => part ?? [])
      const list = parts.length > 0 ? `(${parts.map(({ text }) => text).join(', ')})` : ''
      return {
        text: `${field.name}${list}${inner.text}`,
        variables: [...parts.flatMap(({ variables }) => variables), ...inner.variables],
        isOrdered: inner.isOrdered && (ordering.total || !isListField(field)),
      }
    })
}

/** The arguments that cut a list of rows. Without a total order, servers may return different rows. */
const CUTTING: ReadonlySet<string> = new Set(['limit', 'offset', 'distinct_on'])

/** Returns the key columns that give the field's rows a total order; none if there is no key, or if the field is not a list. */
function orderingOf(
  field: Field,
  { keys }: WorldData,
): { keys: readonly string[]; total: boolean } {
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
  { values }: WorldData,
  order: Order,
): fc.Arbitrary<Part | null> {
  const value = inputValues(type, values, 3)
  if (name === 'order_by')
    return fc.option(value, { freq: 3 }).map((random) => plainPart(name, totalOrder(random, order)))
  const frequency = isNonNullType(type) ? 30 : 2
  return fc.option(
    fc
      .tuple(value, fc.nat({ max: 3 }), fc.nat({ max: 999_999 }))
      .map(([input, luck, number]) =>
        luck === 0
          ? variablePart(name, String(type), input, number)
          : plainPart(name, input.literal),
      ),
    { freq: frequency },
  )
}

/** The ascending columns before and after a random order. */
type Order = { first: readonly string[]; last: readonly string[] }

/** Puts the columns of `distinct_on` before a random order, as PostgreSQL requires, and all keys after it. */
function totalOrder(random: InputValue | null, { first, last }: Order): string {
  const ascending = (columns: readonly string[]) => columns.map((column) => `{${column}: asc}`)
  const literal = random?.literal.replace(/^\[(.*)\]$/s, '$1')
  const middle = literal ? [literal] : []
  return `[${[...ascending(first), ...middle, ...ascending(last)].join(', ')}]`
}

/** Returns the column names of a list. A single name is also a list. */
function namesIn({ json }: InputValue): string[] {
  return [json].flat().filter((name) => typeof name === 'string')
}

function plainPart(name: string, literal: string): Part {
  return { text: `${name}: ${literal}`, variables: [], isOrdered: true }
}

function variablePart(name: string, type: string, { json }: InputValue, number: number): Part {
  const variable = { name: `v${number}`, type, json }
  return { text: `${name}: $${variable.name}`, variables: [variable], isOrdered: true }
}

const NO_FIELDS: Part = { text: '', variables: [], isOrdered: true }

function selectionPart(
  type: GraphQLOutputType,
  data: WorldData,
  depth: number,
): fc.Arbitrary<Part> {
  const named = getNamedType(type)
  if (!isObjectType(named)) return fc.constant(NO_FIELDS)
  const fields = Object.values(named.getFields())
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)))
  const usable = depth > 0 ? fields : leaves
  if (usable.length === 0) return fc.constant({ ...NO_FIELDS, text: ' {__typename}' })
  return fc
    .shuffledSubarray(usable, { minLength: 1, maxLength: Math.min(4, usable.length) })
    .chain((some) => fc.tuple(...some.map((field) => fieldPart(field, data, depth - 1))))
    .map((parts) => ({
      text: ` {${parts.map(({ text }) => text).join(' ')}}`,
      variables: parts.flatMap(({ variables }) => variables),
      isOrdered: parts.every(({ isOrdered }) => isOrdered),
    }))
}
