import { z } from 'zod'
import type { Answered } from '../servers/graphql-server.ts'

const Introspected = z.looseObject({
  data: z.looseObject({
    __schema: z.looseObject({
      types: z.array(z.looseObject({ name: z.string() })),
      directives: z.unknown().optional(),
    }),
  }),
})

const BUILT_IN = ['Boolean', 'Float', 'ID', 'Int', 'String']

/**
 * An introspection with the types of the schema alone: those of introspection itself, the directives and the descriptions of
 * built-in scalars differ on purpose.
 */
export function ownTypesOf(answered: Answered): Answered {
  const { data: body } = Introspected.safeParse(answered.body)
  if (!body) return answered
  const { __schema: schema } = body.data
  const types = schema.types
    .filter(({ name }) => !name.startsWith('__'))
    .map((type) => (BUILT_IN.includes(type.name) ? { ...type, description: null } : type))
  const own = { data: { __schema: { ...schema, types, directives: [] } } }
  return { ...answered, body: own, text: JSON.stringify(own) }
}
