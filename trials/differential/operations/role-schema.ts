import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql'
import { z } from 'zod'
import type { GraphqlServer } from '../servers/graphql-server.ts'
import type { Caller } from '../worlds/world.ts'

const Introspection = z.object({ data: z.custom<IntrospectionQuery>() })

/** Introspects the schema of a caller; null if the caller has no schema. */
export async function roleSchemaOf(
  server: GraphqlServer,
  { headers }: Pick<Caller, 'headers'>,
): Promise<GraphQLSchema | null> {
  const query = getIntrospectionQuery({ descriptions: false })
  const { body } = await server.post('/v1/graphql', { query }, headers)
  const { data } = Introspection.safeParse(body)
  // A role may have types without fields, which graphql-js does not allow.
  return data?.data ? buildClientSchema(data.data, { assumeValid: true }) : null
}
