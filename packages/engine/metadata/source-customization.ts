import { z } from 'zod'
import { NAMING_CONVENTIONS } from '../config/naming-conventions.ts'
import { GraphQLName } from './primitives.ts'

/** The rules for the names of a source's root fields and types: a namespace, affixes and a naming convention. */
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
