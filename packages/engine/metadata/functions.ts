import { z } from 'zod'
import { Comment, GraphQLName, MetadataName, QualifiedName } from './primitives.ts'
import { DUPLICATE_ROOT_FIELDS } from './root-fields.ts'

/** A tracked function. */
export const TrackedFunction = z.strictObject({
  function: QualifiedName,
  configuration: z
    .strictObject({
      custom_name: GraphQLName.nullish(),
      custom_root_fields: z
        .strictObject({
          function: GraphQLName.nullish(),
          function_aggregate: GraphQLName.nullish(),
        })
        .superRefine(({ function: rows, function_aggregate: aggregate }, { addIssue }) => {
          if (rows != null && rows === aggregate)
            addIssue(`${DUPLICATE_ROOT_FIELDS}: "${rows}" and "${aggregate}"`)
        })
        .prefault({}),
      session_argument: z.string().nullish(),
      response: z.unknown().optional(),
      exposed_as: z.enum(['query', 'mutation']).nullish(),
    })
    .prefault({}),
  permissions: z
    .array(z.strictObject({ role: MetadataName, definition: z.unknown().optional() }))
    .default([]),
  comment: Comment,
})

export type FunctionMetadata = z.infer<typeof TrackedFunction>
