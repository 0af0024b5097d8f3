import { z } from 'zod'
import {
  Comment,
  GraphQLName,
  GraphQLType,
  Header,
  MetadataName,
  QualifiedName,
  Transform,
} from './primitives.ts'

/** An action: a root field that a webhook resolves. */
export const Action = z.strictObject({
  name: GraphQLName,
  comment: Comment,
  definition: z.strictObject({
    kind: z.enum(['synchronous', 'asynchronous', '']).nullish(),
    type: z.enum(['query', 'mutation']).nullish(),
    handler: z.string(),
    arguments: z
      .array(z.strictObject({ name: GraphQLName, type: GraphQLType, description: Comment }))
      .default([]),
    output_type: GraphQLType,
    headers: z.array(Header).default([]),
    forward_client_headers: z.boolean().default(false),
    ignored_client_headers: z.array(z.string()).nullish(),
    timeout: z
      .number()
      .refine((seconds) => seconds >= 0, 'timeout value cannot be negative')
      .nullish(),
    request_transform: Transform.nullish(),
    response_transform: Transform.nullish(),
  }),
  permissions: z.array(z.strictObject({ role: MetadataName, comment: Comment })).default([]),
})

const ActionRelationship = z.strictObject({
  name: MetadataName,
  description: Comment,
  type: z.enum(['object', 'array']),
  source: z.string().default('default'),
  remote_table: QualifiedName,
  field_mapping: z.record(z.string(), z.string()),
})

const CustomField = z.strictObject({
  name: GraphQLName,
  type: GraphQLType,
  description: Comment,
  arguments: z.unknown().optional(),
})

const Fields = z.array(CustomField).nonempty()

/** The types of the arguments and results of actions. */
export const CustomTypes = z.strictObject({
  input_objects: z
    .array(z.strictObject({ name: GraphQLName, description: Comment, fields: Fields }))
    .default([]),
  objects: z
    .array(
      z.strictObject({
        name: GraphQLName,
        description: Comment,
        fields: Fields,
        relationships: z.array(ActionRelationship).nullish(),
      }),
    )
    .default([]),
  scalars: z.array(z.strictObject({ name: GraphQLName, description: Comment })).default([]),
  enums: z
    .array(
      z.strictObject({
        name: GraphQLName,
        description: Comment,
        values: z
          .array(
            z.strictObject({
              value: GraphQLName,
              description: Comment,
              is_deprecated: z.boolean().nullish(),
            }),
          )
          .nonempty(),
      }),
    )
    .default([]),
})

export type ActionMetadata = z.infer<typeof Action>
export type CustomTypesMetadata = z.infer<typeof CustomTypes>
