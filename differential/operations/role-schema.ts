import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql'
import { z } from 'zod'
import type { GraphqlServer } from '../servers/graphql-server.ts'
import type { Caller } from '../worlds/world.ts'

const Introspected = z.object({ data: z.custom<IntrospectionQuery>() })

/** The schema that a caller sees; null if there is nothing in it. */
export async function roleSchemaOf(
  server: GraphqlServer,
  { headers }: Caller,
): Promise<GraphQLSchema | null> {
  const query = getIntrospectionQuery({ descriptions: false })
  const { body } = await server.post('/v1/graphql', { query }, headers)
  const { data } = Introspected.safeParse(body)
  return data?.data ? buildClientSchema(data.data) : null
}
