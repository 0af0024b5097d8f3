import { z } from 'zod'
import { Comment, GraphQLName, Header, MetadataName, QualifiedName, Transform } from './shared.ts'

/** A root field that a handler answers. */
export const Action = z.object({
  name: GraphQLName,
  comment: Comment,
  definition: z.object({
    kind: z.string().nullish(),
    type: z.enum(['query', 'mutation']).nullish(),
    handler: z.string(),
    arguments: z
      .array(z.object({ name: z.string(), type: z.string(), description: Comment }))
      .default([]),
    output_type: z.string().nullish(),
    headers: z.array(Header).default([]),
    forward_client_headers: z.boolean().default(false),
    ignored_client_headers: z.array(z.string()).nullish(),
    timeout: z.number().nullish(),
    request_transform: Transform.nullish(),
    response_transform: Transform.nullish(),
  }),
  permissions: z.array(z.object({ role: MetadataName })).default([]),
})

const ActionRelationship = z.object({
  name: z.string(),
  description: Comment,
  type: z.enum(['object', 'array']),
  source: z.string().default('default'),
  remote_table: QualifiedName,
  field_mapping: z.record(z.string(), z.string()),
})

const CustomField = z.object({
  name: z.string(),
  type: z.string(),
  description: Comment,
  arguments: z.unknown().optional(),
})

/** The types of what actions take and answer. */
export const CustomTypes = z.object({
  input_objects: z
    .array(z.object({ name: z.string(), description: Comment, fields: z.array(CustomField) }))
    .default([]),
  objects: z
    .array(
      z.object({
        name: z.string(),
        description: Comment,
        fields: z.array(CustomField).default([]),
        relationships: z.array(ActionRelationship).nullish(),
      }),
    )
    .default([]),
  scalars: z.array(z.object({ name: z.string(), description: Comment })).default([]),
  enums: z
    .array(
      z.object({
        name: z.string(),
        description: Comment,
        values: z.array(z.object({ value: z.string(), description: Comment })),
      }),
    )
    .default([]),
})

export type ActionMetadata = z.infer<typeof Action>
export type CustomTypesMetadata = z.infer<typeof CustomTypes>
