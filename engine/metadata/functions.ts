import { z } from 'zod'
import { Comment, GraphQLName, MetadataName, QualifiedName } from './primitives.ts'
import { DUPLICATED } from './root-fields.ts'

/** A tracked function. */
export const TrackedFunction = z.object({
  function: QualifiedName,
  configuration: z
    .object({
      custom_name: GraphQLName.nullish(),
      custom_root_fields: z
        .object({ function: GraphQLName.nullish(), function_aggregate: GraphQLName.nullish() })
        .superRefine(({ function: rows, function_aggregate: fold }, { addIssue }) => {
          if (rows != null && rows === fold) addIssue(`${DUPLICATED}: "${rows}" and "${fold}"`)
        })
        .prefault({}),
      session_argument: z.string().nullish(),
      exposed_as: z.enum(['query', 'mutation']).nullish(),
    })
    .prefault({}),
  permissions: z.array(z.object({ role: MetadataName })).default([]),
  comment: Comment,
})

export type FunctionMetadata = z.infer<typeof TrackedFunction>
