import {
  buildClientSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { GraphQLClient } from 'graphql-request'

/** The schemas that codegen types operations with: those of the services, and those of the portal's pages. */
export const SCHEMAS = [
  { role: 'service', file: 'schema.graphql' },
  { role: 'user', file: 'portal/graphql/schema.graphql' },
] as const

type Asking = { endpoint: string; adminSecret: string; role: string }

/**
 * The GraphQL schema of a role, as SDL.
 *
 * Sorted, so that the text does not depend on which engine answers.
 */
export async function schemaOfRole({ endpoint, adminSecret, role }: Asking): Promise<string> {
  const client = new GraphQLClient(`${endpoint}/v1/graphql`, {
    headers: { 'x-hasura-admin-secret': adminSecret, 'x-hasura-role': role },
  })
  const query = getIntrospectionQuery({ descriptions: false })
  const schema = buildClientSchema(await client.request(query))
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
