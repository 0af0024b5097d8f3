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

/** A root field that a handler answers. */
export const Action = z.object({
  name: GraphQLName,
  comment: Comment,
  definition: z.object({
    kind: z.enum(['synchronous', 'asynchronous', '']).nullish(),
    type: z.enum(['query', 'mutation']).nullish(),
    handler: z.string(),
    arguments: z
      .array(z.object({ name: GraphQLName, type: GraphQLType, description: Comment }))
      .default([]),
    output_type: GraphQLType.nullish(),
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
  permissions: z.array(z.object({ role: MetadataName })).default([]),
})

const ActionRelationship = z.object({
  name: MetadataName,
  description: Comment,
  type: z.enum(['object', 'array']),
  source: z.string().default('default'),
  remote_table: QualifiedName,
  field_mapping: z.record(z.string(), z.string()),
})

const CustomField = z.object({
  name: GraphQLName,
  type: GraphQLType,
  description: Comment,
  arguments: z.unknown().optional(),
})

const Fields = z.array(CustomField).nonempty()

/** The types of actions' arguments and answers. */
export const CustomTypes = z.object({
  input_objects: z
    .array(z.object({ name: GraphQLName, description: Comment, fields: Fields }))
    .default([]),
  objects: z
    .array(
      z.object({
        name: GraphQLName,
        description: Comment,
        fields: Fields,
        relationships: z.array(ActionRelationship).nullish(),
      }),
    )
    .default([]),
  scalars: z.array(z.object({ name: GraphQLName, description: Comment })).default([]),
  enums: z
    .array(
      z.object({
        name: GraphQLName,
        description: Comment,
        values: z.array(z.object({ value: GraphQLName, description: Comment })).nonempty(),
      }),
    )
    .default([]),
})

export type ActionMetadata = z.infer<typeof Action>
export type CustomTypesMetadata = z.infer<typeof CustomTypes>
