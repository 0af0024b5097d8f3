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
  const usable = field.args.filter(({ name }) => ordering.total || !CUTTING.has(name))
  const distinct = usable.find(({ name }) => name === 'distinct_on')
  const drawn = distinct && fc.option(inputValues(distinct.type, known.values, 1), { freq: 3 })
  return (drawn ?? fc.constant(null))
    .chain((columns) => {
      const order = { first: columns ? namesIn(columns) : [], last: ordering.keys }
      const args = usable
        .filter((argument) => argument !== distinct)
        .map((argument) => argumentPart(argument, known, order))
      const given = columns && plainPart('distinct_on', columns.literal)
      return fc.tuple(
        fc.tuple(fc.constant(given), ...args),
        selectionPart(field.type, known, depth),
      )
    })
    .map(([given, inner]) => {
      const written = given.flatMap((one) => one ?? [])
      const list = written.length > 0 ? `(${written.map(({ text }) => text).join(', ')})` : ''
      return {
        text: `${field.name}${list}${inner.text}`,
        variables: [...written.flatMap(({ variables }) => variables), ...inner.variables],
        isOrdered: inner.isOrdered && (ordering.total || !isListField(field)),
      }
    })
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
  order: Order,
): fc.Arbitrary<Part | null> {
  const value = inputValues(type, values, 3)
  if (name === 'order_by')
    return fc.option(value, { freq: 3 }).map((own) => plainPart(name, totalOrder(own, order)))
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

/** Columns that rows are ordered by before and after the order that is drawn, each ascending. */
type Order = { first: readonly string[]; last: readonly string[] }

/** The order with the columns of `distinct_on` first, as PostgreSQL wants it, and all keys last. */
function totalOrder(own: InputValue | null, { first, last }: Order): string {
  const ascending = (columns: readonly string[]) => columns.map((column) => `{${column}: asc}`)
  const middle = own === null ? [] : [own.literal.replace(/^\[(.*)\]$/s, '$1')].filter(Boolean)
  return `[${[...ascending(first), ...middle, ...ascending(last)].join(', ')}]`
}

/** The names in a list of columns, or the one that stands for such a list. */
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
