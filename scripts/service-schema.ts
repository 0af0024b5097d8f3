import {
  buildClientSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { GraphQLClient } from 'graphql-request'

/**
 * The GraphQL schema of the role `service`, as SDL; codegen types the services' operations with it.
 *
 * Sorted, so that the text does not depend on which engine answers.
 */
export async function serviceSchema(endpoint: string, adminSecret: string): Promise<string> {
  const client = new GraphQLClient(`${endpoint}/v1/graphql`, {
    headers: { 'x-hasura-admin-secret': adminSecret, 'x-hasura-role': 'service' },
  })
  const query = getIntrospectionQuery({ descriptions: false })
  const schema = buildClientSchema(await client.request(query))
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
