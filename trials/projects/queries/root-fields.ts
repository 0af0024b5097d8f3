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

/** The body of a GraphQL request. */
export type GraphqlRequest = { query: string; variables: Readonly<Record<string, unknown>> }

type Field = GraphQLField<unknown, unknown>

/** Writes one query for each query root field of a role's schema. It selects all columns, and the columns of direct relationships. */
export function rootFieldRequests(schema: GraphQLSchema): GraphqlRequest[] {
  return Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter(({ name }) => name !== 'no_queries_available')
    .map(requestOf)
}

function requestOf(field: Field): GraphqlRequest {
  const parameters = field.args.filter(({ name }) => !ROW_ARGUMENTS.test(name))
  const declarations = parameters.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const list = parameters.map(({ name }) => `${name}: $${name}`)
  if (field.args.some(({ name }) => name === 'limit')) list.push('limit: 5')
  const args = list.length > 0 ? `(${list.join(', ')})` : ''
  const head = `query ask${declarations && `(${declarations})`}`
  return {
    query: `${head} { ${field.name}${args}${selection(field, 2)} }`,
    variables: Object.fromEntries(
      parameters.map(({ name, type }) => [name, fullSampleValue(type)]),
    ),
  }
}

/** The arguments that select and sort the rows of a table. */
const ROW_ARGUMENTS = /^(where|order_?by|limit|offset|distinct_?on)$/i

/** Writes the selection of a field, without fields that have required arguments; empty for a scalar. */
function selection(field: Field, depth: number): string {
  const type = getNamedType(field.type)
  if (isLeafType(type)) return ''
  if (!isObjectType(type) && !isInterfaceType(type)) return ' { __typename }'
  const inner = Object.values(type.getFields())
    .filter(({ args }) => !args.some(isRequiredArgument))
    .filter((child) => depth > 1 || isLeafType(getNamedType(child.type)))
    .map((child) => {
      const limit = child.args.some(({ name }) => name === 'limit') ? '(limit: 2)' : ''
      return `${child.name}${limit}${selection(child, depth - 1)}`
    })
  return ` { ${['__typename', ...inner].join(' ')} }`
}
