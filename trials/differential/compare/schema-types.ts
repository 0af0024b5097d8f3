import { z } from 'zod'
import type { ServerResponse } from '../servers/graphql-server.ts'

const Introspection = z.looseObject({
  data: z.looseObject({
    __schema: z.looseObject({
      types: z.array(z.looseObject({ name: z.string() })),
      directives: z.unknown().optional(),
    }),
  }),
})

const BUILT_IN = ['Boolean', 'Float', 'ID', 'Int', 'String']

/**
 * Removes the types of introspection, the directives and the descriptions of built-in scalars from an introspection, because they
 * differ on purpose.
 */
export function withSchemaTypesOnly(response: ServerResponse): ServerResponse {
  const { data: body } = Introspection.safeParse(response.body)
  if (!body) return response
  const { __schema: schema } = body.data
  const types = schema.types
    .filter(({ name }) => !name.startsWith('__'))
    .map((type) => (BUILT_IN.includes(type.name) ? { ...type, description: null } : type))
  const reducedBody = { data: { __schema: { ...schema, types, directives: [] } } }
  return { ...response, body: reducedBody, text: JSON.stringify(reducedBody) }
}
