import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { fullSampleValue } from './sample-value.ts'

/** A request to a server that speaks GraphQL. */
export type Question = { query: string; variables: Readonly<Record<string, unknown>> }

type Field = GraphQLField<unknown, unknown>

/** One query for each root field that a role may read, with all columns and, one level below, those of relationships. */
export function rootFieldQuestions(schema: GraphQLSchema): Question[] {
  return Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter(({ name }) => name !== 'no_queries_available')
    .map(questionOf)
}

function questionOf(field: Field): Question {
  const given = field.args.filter(({ name }) => !OF_ROWS.test(name))
  const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const passed = given.map(({ name }) => `${name}: $${name}`)
  if (field.args.some(({ name }) => name === 'limit')) passed.push('limit: 5')
  const args = passed.length > 0 ? `(${passed.join(', ')})` : ''
  return {
    query: `query ask${declared && `(${declared})`} { ${field.name}${args}${selection(field, 2)} }`,
    variables: Object.fromEntries(given.map(({ name, type }) => [name, fullSampleValue(type)])),
  }
}

/** Arguments that choose among the rows of a table. */
const OF_ROWS = /^(where|order_?by|limit|offset|distinct_?on)$/i

/** Nothing for a scalar; fields with required arguments are left out. */
function selection(field: Field, depth: number): string {
  const type = getNamedType(field.type)
  if (isLeafType(type)) return ''
  if (!isObjectType(type) && !isInterfaceType(type)) return ' { __typename }'
  const inner = Object.values(type.getFields())
    .filter(({ args }) => !args.some(isRequiredArgument))
    .filter((one) => depth > 1 || isLeafType(getNamedType(one.type)))
    .map((one) => {
      const limit = one.args.some(({ name }) => name === 'limit') ? '(limit: 2)' : ''
      return `${one.name}${limit}${selection(one, depth - 1)}`
    })
  return ` { ${['__typename', ...inner].join(' ')} }`
}
