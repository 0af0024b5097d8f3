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
import type { Row } from './team-rows.ts'

type Field = GraphQLField<unknown, unknown>

/** The rows by table. The queries search for their values. */
export type KnownRows = ReadonlyMap<string, readonly Row[]>

/**
 * Returns every query of a role, one root field each: all columns with related rows, aggregates, rows by key, and each
 * column and relation in `where`, `order_by` and `distinct_on`.
 *
 * @param depth the number of relations that a filter or an order may follow
 */
export function everyQuery(schema: GraphQLSchema, knownRows: KnownRows, depth: number): string[] {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
  return fields.flatMap((field) => {
    const type = getNamedType(field.type)
    if (!isObjectType(type)) return []
    if (field.name.endsWith('_by_pk')) return queriesByKey(field, type, knownRows)
    return hasRequiredArgument(field) ? [] : queriesOfRows(field, type, knownRows, depth)
  })
}

/** Lists the root fields with required arguments, for which no query is generated. */
export function queriesLeftOut(schema: GraphQLSchema): string[] {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
  return fields
    .filter((field) => !field.name.endsWith('_by_pk') && hasRequiredArgument(field))
    .map(({ name }) => name)
}

function hasRequiredArgument(field: Field): boolean {
  return field.args.some(({ type }) => isNonNullType(type))
}

function queriesByKey(field: Field, type: GraphQLObjectType, knownRows: KnownRows): string[] {
  return (knownRows.get(type.name) ?? []).map((row) => {
    const key = field.args.map(({ name }) => `${name}: ${JSON.stringify(row[name])}`)
    return `${field.name}(${key.join(', ')}) ${fullSelection(type, 2)}`
  })
}

function queriesOfRows(
  field: Field,
  type: GraphQLObjectType,
  knownRows: KnownRows,
  depth: number,
): string[] {
  const isAggregate = type.name.endsWith('_aggregate')
  const argument = (name: string) => field.args.find((each) => each.name === name)
  const where = argumentInputType(argument('where'))
  const plain = `${field.name} ${fullSelection(type, 2)}`
  if (isAggregate)
    return [
      plain,
      ...everyCondition(where, knownRows, 0).map(
        (each) => `${field.name}(where: ${each}) { aggregate { count } }`,
      ),
    ]
  const key = 'id' in type.getFields() ? 'id' : '__typename'
  const tieBreaker = key === 'id' ? ', {id: asc}' : ''
  return [
    plain,
    ...everyCondition(where, knownRows, depth).map(
      (each) => `${field.name}(where: ${each}) { ${key} }`,
    ),
    ...everyOrder(argumentInputType(argument('order_by')), depth).map(
      (order) => `${field.name}(order_by: [${order}${tieBreaker}]) ${fullSelection(type, 0)}`,
    ),
    ...enumValuesOfList(argument('distinct_on')).map(
      (column) =>
        `${field.name}(distinct_on: [${column}], order_by: [{${column}: asc}]) { ${column} }`,
    ),
  ]
}

/** Selects all columns of a type and of related rows up to `depth` relations away. */
export function fullSelection(type: GraphQLObjectType, depth: number): string {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const named = getNamedType(field.type)
    if (hasRequiredArgument(field)) return []
    if (isLeafType(named)) return field.name
    if (!isObjectType(named)) return []
    // The parts of an aggregate do not count as relations.
    const isPart = /_aggregate(_fields)?$/.test(type.name)
    if (depth === 0 && !isPart) return []
    return `${field.name} ${fullSelection(named, isPart && field.name !== 'nodes' ? 0 : Math.max(0, depth - 1))}`
  })
  return `{ __typename ${fields.join(' ')} }`
}

/**
 * Returns filters by every column with a known value, and by relations. The second relation is filtered only by the
 * existence of rows.
 */
function everyCondition(
  type: GraphQLInputObjectType | null,
  knownRows: KnownRows,
  depth: number,
): string[] {
  if (!type) return []
  const values = knownRows.get(type.name.replace(/_bool_exp$/, '')) ?? []
  return Object.values(type.getFields()).flatMap(({ name, type: of }) => {
    const named = getNamedType(of)
    if (name.startsWith('_') || !isInputObjectType(named)) return []
    if (named.name.endsWith('_comparison_exp')) return columnConditions(name, named, values)
    if (depth === 0) return []
    if (named.name.endsWith('_aggregate_bool_exp'))
      return [1, 3].map((count) => `{${name}: {count: {predicate: {_gt: ${count}}}}}`)
    const beyond = depth > 1 ? relationNames(named).map((each) => `{${name}: {${each}: {}}}`) : []
    const inner = everyCondition(named, knownRows, 0).map((each) => `{${name}: ${each}}`)
    return [`{${name}: {}}`, `{_not: {${name}: {}}}`, ...inner, ...beyond]
  })
}

function relationNames(type: GraphQLInputObjectType): string[] {
  return Object.values(type.getFields()).flatMap(({ name, type: of }) => {
    const named = getNamedType(of).name
    return /_bool_exp$/.test(named) && !/_aggregate_bool_exp$/.test(named) && !name.startsWith('_')
      ? [name]
      : []
  })
}

function columnConditions(
  name: string,
  type: GraphQLInputObjectType,
  rows: readonly Row[],
): string[] {
  const values = rows.map((row) => row[name]).filter(isScalar)
  const unique = [...new Set(values)].map((value) => JSON.stringify(value))
  if (unique.length === 0) return []
  const comparable = type.getFields()._gt ? [`{${name}: {_gte: ${unique.at(-1)}}}`] : []
  return [`{${name}: {_in: [${unique.join(', ')}]}}`, ...comparable]
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** Returns orders by every column, and by the columns, counts and maximums of relations. */
function everyOrder(type: GraphQLInputObjectType | null, depth: number): string[] {
  if (!type) return []
  const isAggregate = type.name.endsWith('_aggregate_order_by')
  return Object.values(type.getFields()).flatMap(({ name, type: of }) => {
    const named = getNamedType(of)
    if (isAggregate && !['count', 'max'].includes(name)) return []
    if (!isInputObjectType(named)) return `{${name}: desc}`
    if (depth === 0) return []
    // An aggregate and its columns count as one relation.
    const further = isAggregate || isAggregateOrder(named) ? 1 : 0
    return everyOrder(named, further).map((each) => `{${name}: ${each}}`)
  })
}

function isAggregateOrder({ name }: GraphQLInputObjectType): boolean {
  return name.endsWith('_aggregate_order_by')
}

function argumentInputType(argument: GraphQLArgument | undefined): GraphQLInputObjectType | null {
  const named = argument && getNamedType(argument.type)
  return named && isInputObjectType(named) ? named : null
}

function enumValuesOfList(argument: GraphQLArgument | undefined): string[] {
  const nullable = argument && getNullableType(argument.type)
  const named = nullable && isListType(nullable) ? getNamedType(nullable) : null
  return named instanceof GraphQLEnumType ? named.getValues().map(({ name }) => name) : []
}
