import { parseType } from 'graphql/language/index.js'
import { z } from 'zod'
import { isRecord } from '../json/record.ts'

/** The name of a table or function in PostgreSQL; without a schema it is in `public`. */
export const QualifiedName = z.union(
  [
    z.string().transform((name) => ({ schema: 'public', name })),
    z.strictObject({ schema: z.string().default('public'), name: z.string() }),
  ],
  {
    error: ({ input }) =>
      input === undefined || isRecord(input)
        ? undefined
        : 'expecting a string/object for QualifiedObject',
  },
)

export const GraphQLName = z.string().regex(/^[_A-Za-z][_0-9A-Za-z]*$/, {
  error: ({ input }) => `${input} is not valid GraphQL name`,
})

/** A type in GraphQL's notation: `[Int!]!`. */
export const GraphQLType = z.string().refine(isGraphQLType, {
  error: ({ input }) => `not a valid GraphQL type: ${input}`,
})

function isGraphQLType(text: string): boolean {
  try {
    parseType(text)
    return true
  } catch {
    return false
  }
}

/** A name that must not be empty, for example of a role, a relationship or a remote schema. */
export const MetadataName = z.string().min(1, 'empty string not allowed')

/** The comment on an object, by the author of the metadata. */
export const Comment = z.string().nullish()

/** A header of a webhook. */
export const Header = z
  .strictObject({
    name: z.string(),
    value: z.string().nullish(),
    value_from_env: z.string().nullish(),
  })
  .refine(({ value, value_from_env }) => value != null || value_from_env != null, {
    error: 'expecting value or value_from_env keys',
  })
  .refine(({ value, value_from_env }) => value == null || value_from_env == null, {
    error: 'expecting only one of value or value_from_env keys',
  })
  .refine(({ value_from_env }) => !value_from_env?.startsWith('HASURA_GRAPHQL_'), {
    error: 'env variables starting with "HASURA_GRAPHQL_" are not allowed for value_from_env',
  })

/** The name of a webhook's header, and its value or the variable that contains the value. */
export type HeaderMetadata = z.infer<typeof Header>

/** A transformation of a webhook's request or response; the code in `outgoing/transform/` parses it. */
export const Transform = z.looseObject({ version: z.number().optional() })
