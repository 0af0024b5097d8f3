import {
  buildClientSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { GraphQLClient } from 'graphql-request'

/** The schemas for codegen: one for the operations of the services, and one for the operations of the portal. */
export const SCHEMAS = [
  { role: 'service', file: 'schema.graphql' },
  { role: 'user', file: 'portal/graphql/schema.graphql' },
] as const

type SchemaRequest = { endpoint: string; adminSecret: string; role: string }

/** Reads the GraphQL schema of a role as SDL, sorted so that Hasura and the embedded engine give the same text. */
export async function schemaOfRole({
  endpoint,
  adminSecret,
  role,
}: SchemaRequest): Promise<string> {
  const client = new GraphQLClient(`${endpoint}/v1/graphql`, {
    headers: { 'x-hasura-admin-secret': adminSecret, 'x-hasura-role': role },
  })
  const query = getIntrospectionQuery({ descriptions: false })
  const schema = buildClientSchema(await client.request(query))
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
