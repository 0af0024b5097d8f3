import { z } from 'zod'
import { distinctEntries } from './distinct-entries.ts'
import { Comment, GraphQLName, Header, MetadataName, QualifiedName } from './primitives.ts'

const Affix = z.string().nullish()
const Mapping = z.record(z.string(), GraphQLName).nullish()

/** New names for the types and fields of a remote schema, so that they do not conflict with the engine's. */
const Customization = z.strictObject({
  root_fields_namespace: GraphQLName.nullish(),
  type_names: z.strictObject({ prefix: Affix, suffix: Affix, mapping: Mapping }).nullish(),
  field_names: z
    .array(
      z.strictObject({ parent_type: z.string(), prefix: Affix, suffix: Affix, mapping: Mapping }),
    )
    .nullish(),
})

/** The address of a remote schema, and the settings of requests to it. */
export const RemoteSchemaDefinition = z
  .strictObject({
    url: z.string().nullish(),
    url_from_env: z.string().nullish(),
    headers: z.array(Header).nullish(),
    forward_client_headers: z.boolean().nullish(),
    timeout_seconds: z.number().positive().nullish(),
    customization: Customization.nullish(),
  })
  .refine(({ url, url_from_env }) => (url == null) !== (url_from_env == null), {
    error: ({ input }) =>
      'url' in Object(input) && 'url_from_env' in Object(input)
        ? 'both `url` and `url_from_env` can not be present'
        : 'expecting one of `url` or `url_from_env`',
  })

/** The part of a remote schema that a role may use, in GraphQL's schema language. */
export const RemoteSchemaPermission = z.strictObject({
  role: MetadataName,
  definition: z.strictObject({ schema: z.string() }),
  comment: Comment,
})

/** A field of a remote schema with its arguments, and the nested field that a relationship selects, if any. */
export type RemoteFieldPath = {
  [field: string]: {
    arguments: Record<string, unknown>
    field?: RemoteFieldPath | null | undefined
  }
}

const RemoteFieldPath: z.ZodType<RemoteFieldPath> = z
  .record(
    GraphQLName,
    z.strictObject({
      arguments: z.record(z.string(), z.unknown()),
      field: z.lazy(() => RemoteFieldPath).nullish(),
    }),
  )
  .refine((path) => Object.keys(path).length === 1, {
    error: 'expecting exactly one field in a remote field',
  })

const ToSource = z.strictObject({
  source: z.string(),
  table: QualifiedName,
  relationship_type: z.enum(['object', 'array']),
  field_mapping: z.record(z.string(), z.string()),
})

const ToRemoteSchema = z.strictObject({
  remote_schema: z.string(),
  lhs_fields: z.array(z.string()),
  remote_field: RemoteFieldPath,
})

/** The older form of a relationship from a table to a remote schema. */
const ToRemoteSchemaOld = z
  .strictObject({
    remote_schema: z.string(),
    hasura_fields: z.array(z.string()),
    remote_field: RemoteFieldPath,
  })
  .transform(({ hasura_fields, ...rest }) => ({
    to_remote_schema: { ...rest, lhs_fields: hasura_fields },
  }))

/** A relationship from a table, or from a type of a remote schema. */
export const RemoteRelationship = z.strictObject({
  name: GraphQLName,
  definition: z.union([
    z.strictObject({ to_source: ToSource }),
    z.strictObject({ to_remote_schema: ToRemoteSchema }),
    ToRemoteSchemaOld,
  ]),
})

const nameOf = ({ name }: { name: string }) => name

/** The relationships that begin at a type of a remote schema. */
const TypeRelationships = z.strictObject({
  type_name: z.string(),
  relationships: distinctEntries('remote relationships', RemoteRelationship, nameOf).default([]),
})

/** Another GraphQL server. Its schema becomes a part of the engine's schema. */
export const RemoteSchema = z.strictObject({
  name: MetadataName,
  comment: Comment,
  definition: RemoteSchemaDefinition,
  permissions: distinctEntries('permissions', RemoteSchemaPermission, ({ role }) => role).default(
    [],
  ),
  remote_relationships: distinctEntries(
    'types with remote relationships',
    TypeRelationships,
    ({ type_name }) => type_name,
  ).default([]),
})

export type RemoteSchemaMetadata = z.infer<typeof RemoteSchema>
export type RemoteSchemaDefinitionMetadata = z.infer<typeof RemoteSchemaDefinition>
export type RemoteRelationshipMetadata = z.infer<typeof RemoteRelationship>
