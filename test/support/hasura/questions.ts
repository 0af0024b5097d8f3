import {
  type GraphQLArgument,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Row } from './two-teams.ts'

type Field = GraphQLField<unknown, unknown>

/** By table, rows whose values are asked for. */
export type Known = ReadonlyMap<string, readonly Row[]>

/**
 * Everything that a role can ask about rows, one root field each: all columns with what is related to
 * them, aggregates, by key, and every column and relation to filter by, to order by, to be distinct on.
 *
 * @param depth how many relations away a filter or an order may look
 */
export function questions(schema: GraphQLSchema, known: Known, depth: number): string[] {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
  return fields.flatMap((field) => {
    const type = getNamedType(field.type)
    if (!isObjectType(type)) return []
    if (field.name.endsWith('_by_pk')) return byKey(field, type, known)
    return needsMore(field) ? [] : ofRows(field, type, known, depth)
  })
}

/** Root fields that can only be asked with arguments that nobody here can make up. */
export function unasked(schema: GraphQLSchema): string[] {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
  return fields
    .filter((field) => !field.name.endsWith('_by_pk') && needsMore(field))
    .map(({ name }) => name)
}

function needsMore(field: Field): boolean {
  return field.args.some(({ type }) => isNonNullType(type))
}

function byKey(field: Field, type: GraphQLObjectType, known: Known): string[] {
  return (known.get(type.name) ?? []).map((row) => {
    const key = field.args.map(({ name }) => `${name}: ${JSON.stringify(row[name])}`)
    return `${field.name}(${key.join(', ')}) ${selection(type, 2)}`
  })
}

function ofRows(field: Field, type: GraphQLObjectType, known: Known, depth: number): string[] {
  const isAggregate = type.name.endsWith('_aggregate')
  const argument = (name: string) => field.args.find((each) => each.name === name)
  const where = inputOf(argument('where'))
  const plain = `${field.name} ${selection(type, 2)}`
  if (isAggregate)
    return [
      plain,
      ...conditions(where, known, 0).map(
        (each) => `${field.name}(where: ${each}) { aggregate { count } }`,
      ),
    ]
  const key = 'id' in type.getFields() ? 'id' : '__typename'
  const tieBreaker = key === 'id' ? ', {id: asc}' : ''
  return [
    plain,
    ...conditions(where, known, depth).map((each) => `${field.name}(where: ${each}) { ${key} }`),
    ...orders(inputOf(argument('order_by')), depth).map(
      (order) => `${field.name}(order_by: [${order}${tieBreaker}]) ${selection(type, 0)}`,
    ),
    ...enumOf(argument('distinct_on')).map(
      (column) =>
        `${field.name}(distinct_on: [${column}], order_by: [{${column}: asc}]) { ${column} }`,
    ),
  ]
}

/** All leaves of a type, and what is related to it, so far. */
export function selection(type: GraphQLObjectType, depth: number): string {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const named = getNamedType(field.type)
    if (needsMore(field)) return []
    if (isLeafType(named)) return field.name
    if (!isObjectType(named)) return []
    // What holds an aggregate is part of it, not further away.
    const isPart = /_aggregate(_fields)?$/.test(type.name)
    if (depth === 0 && !isPart) return []
    return `${field.name} ${selection(named, isPart && field.name !== 'nodes' ? 0 : Math.max(0, depth - 1))}`
  })
  return `{ __typename ${fields.join(' ')} }`
}

/** Filters by every column, and through relations: two away, only by whether there are any. */
function conditions(type: GraphQLInputObjectType | null, known: Known, depth: number): string[] {
  if (!type) return []
  const values = known.get(type.name.replace(/_bool_exp$/, '')) ?? []
  return Object.values(type.getFields()).flatMap(({ name, type: of }) => {
    const named = getNamedType(of)
    if (name.startsWith('_') || !isInputObjectType(named)) return []
    if (named.name.endsWith('_comparison_exp')) return onColumn(name, named, values)
    if (depth === 0) return []
    if (named.name.endsWith('_aggregate_bool_exp'))
      return [1, 3].map((count) => `{${name}: {count: {predicate: {_gt: ${count}}}}}`)
    const beyond = depth > 1 ? relationsOf(named).map((each) => `{${name}: {${each}: {}}}`) : []
    const inner = conditions(named, known, 0).map((each) => `{${name}: ${each}}`)
    return [`{${name}: {}}`, `{_not: {${name}: {}}}`, ...inner, ...beyond]
  })
}

function relationsOf(type: GraphQLInputObjectType): string[] {
  return Object.values(type.getFields()).flatMap(({ name, type: of }) => {
    const named = getNamedType(of).name
    return /_bool_exp$/.test(named) && !/_aggregate_bool_exp$/.test(named) && !name.startsWith('_')
      ? [name]
      : []
  })
}

function onColumn(name: string, type: GraphQLInputObjectType, rows: readonly Row[]): string[] {
  const given = rows.map((row) => row[name]).filter(isScalar)
  const unique = [...new Set(given)].map((value) => JSON.stringify(value))
  if (unique.length === 0) return []
  const comparable = type.getFields()._gt ? [`{${name}: {_gte: ${unique.at(-1)}}}`] : []
  return [`{${name}: {_in: [${unique.join(', ')}]}}`, ...comparable]
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** By every column, and through relations by their columns, their number and their greatest values. */
function orders(type: GraphQLInputObjectType | null, depth: number): string[] {
  if (!type) return []
  const isAggregate = type.name.endsWith('_aggregate_order_by')
  return Object.values(type.getFields()).flatMap(({ name, type: of }) => {
    const named = getNamedType(of)
    if (isAggregate && !['count', 'max'].includes(name)) return []
    if (!isInputObjectType(named)) return `{${name}: desc}`
    if (depth === 0) return []
    // An aggregate is one relation away, and so are the columns that it is of.
    const further = isAggregate || isAggregateOrder(named) ? 1 : 0
    return orders(named, further).map((each) => `{${name}: ${each}}`)
  })
}

function isAggregateOrder({ name }: GraphQLInputObjectType): boolean {
  return name.endsWith('_aggregate_order_by')
}

function inputOf(argument: GraphQLArgument | undefined): GraphQLInputObjectType | null {
  const named = argument && getNamedType(argument.type)
  return named && isInputObjectType(named) ? named : null
}

function enumOf(argument: GraphQLArgument | undefined): string[] {
  const nullable = argument && getNullableType(argument.type)
  const named = nullable && isListType(nullable) ? getNamedType(nullable) : null
  return named instanceof GraphQLEnumType ? named.getValues().map(({ name }) => name) : []
}
