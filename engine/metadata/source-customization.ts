import { z } from 'zod'
import { GraphQLName } from './primitives.ts'

/** The conventions by which names are made. */
export const NAMING_CONVENTIONS = ['hasura-default', 'graphql-default'] as const

/** How a source's root fields and types are called. */
export const SourceCustomization = z.strictObject({
  root_fields: z
    .strictObject({
      namespace: GraphQLName.nullish(),
      prefix: GraphQLName.nullish(),
      suffix: GraphQLName.nullish(),
    })
    .nullish(),
  type_names: z
    .strictObject({ prefix: GraphQLName.nullish(), suffix: GraphQLName.nullish() })
    .nullish(),
  naming_convention: z.enum(NAMING_CONVENTIONS).nullish(),
})

export type SourceCustomization = z.infer<typeof SourceCustomization>
