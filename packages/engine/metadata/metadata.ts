import { z } from 'zod'
import { ISOLATION_LEVELS } from '../config/answer-settings.ts'
import { Action, CustomTypes } from './actions.ts'
import { CronTrigger } from './cron-triggers.ts'
import { distinctEntries, entryName } from './distinct-entries.ts'
import { TrackedFunction } from './functions.ts'
import { LogicalModel, NativeQuery } from './native-queries.ts'
import { MetadataName } from './primitives.ts'
import { ArrayRelationship, ObjectRelationship } from './relationships.ts'
import { RemoteRelationship, RemoteSchema } from './remote-schemas.ts'
import { AllowListEntry, QueryCollection, RestEndpoint } from './saved-queries.ts'
import { SourceCustomization } from './source-customization.ts'
import { ComputedField, Table } from './tables.ts'

/**
 * The address of a database: a text, the environment variable that contains the address, the parts of the address, or a
 * file. The engine does not support the file.
 */
const DatabaseUrl = z.union([
  z.string(),
  z.object({ from_env: z.string() }),
  z.object({
    connection_parameters: z.object({
      host: z.string(),
      port: z.int(),
      username: z.string(),
      password: z.string().nullish(),
      database: z.string(),
    }),
  }),
  z.object({ dynamic_from_file: z.string() }),
])

/** The settings of a source's connection that the engine uses; Hasura has more. */
const SourceConfiguration = z.looseObject({
  connection_info: z
    .looseObject({
      database_url: DatabaseUrl.optional(),
      isolation_level: z.enum(ISOLATION_LEVELS).nullish(),
      pool_settings: z.looseObject({ max_connections: z.int().positive().nullish() }).nullish(),
    })
    .optional(),
  extensions_schema: z.string().nullish(),
})

const nameOf = ({ name }: { name: string }) => name

const Source = z.strictObject({
  name: z.string(),
  kind: z.string().default('postgres'),
  configuration: SourceConfiguration.optional(),
  customization: SourceCustomization.nullish(),
  query_tags: z.unknown().optional(),
  health_check: z.unknown().optional(),
  stored_procedures: z.unknown().optional(),
  tables: distinctEntries('tables', Table, ({ table }) => entryName(table)).default([]),
  functions: distinctEntries('functions', TrackedFunction, (entry) =>
    entryName(entry.function),
  ).default([]),
  native_queries: distinctEntries(
    'native queries',
    NativeQuery,
    ({ root_field_name }) => root_field_name,
  ).default([]),
  logical_models: distinctEntries('logical models', LogicalModel, nameOf).default([]),
})

/** The roles that may not introspect the schema. In Hasura, only the paid editions enforce this. */
export const Introspection = z.strictObject({ disabled_for_roles: z.array(z.string()).default([]) })

/**
 * The settings for tracing. They only decide whether the engine follows the trace in the header `traceparent`. The
 * settings for exporters have no effect in this engine.
 */
const OpenTelemetry = z.looseObject({
  status: z.enum(['enabled', 'disabled', 'env']).default('disabled'),
  exporter_otlp: z
    .looseObject({ traces_propagators: z.array(z.enum(['b3', 'tracecontext'])).default(['b3']) })
    .optional(),
})

/** A role that has the permissions of other roles. */
export const InheritedRole = z.strictObject({
  role_name: MetadataName,
  role_set: z.array(MetadataName),
})

/**
 * Hasura's metadata, version 3, with Hasura's key names. A metadata folder and the argument of `replace_metadata`
 * contain it.
 */
export const Metadata = z.strictObject({
  version: z.number().default(3),
  sources: distinctEntries('sources', Source, nameOf).default([]),
  actions: distinctEntries('actions', Action, nameOf).default([]),
  custom_types: CustomTypes.prefault({}),
  cron_triggers: distinctEntries('cron triggers', CronTrigger, nameOf).default([]),
  inherited_roles: distinctEntries(
    'inherited roles',
    InheritedRole,
    ({ role_name }) => role_name,
  ).default([]),
  query_collections: distinctEntries('query collections', QueryCollection, nameOf).default([]),
  allowlist: distinctEntries(
    'allowlist entries',
    AllowListEntry,
    ({ collection }) => collection,
  ).default([]),
  rest_endpoints: distinctEntries('rest endpoints', RestEndpoint, nameOf).default([]),
  remote_schemas: distinctEntries('remote schemas', RemoteSchema, nameOf).default([]),
  api_limits: z.unknown().optional(),
  graphql_schema_introspection: Introspection.nullish(),
  network: z.unknown().optional(),
  metrics_config: z.unknown().optional(),
  opentelemetry: OpenTelemetry.nullish(),
  backend_configs: z.unknown().optional(),
})

/** The schemas of single entries of lists, by the name of the list. Commands check a new entry with its schema. */
export const ENTRIES: Readonly<Record<string, z.ZodType>> = {
  sources: Source,
  tables: Table,
  functions: TrackedFunction,
  native_queries: NativeQuery,
  logical_models: LogicalModel,
  object_relationships: ObjectRelationship,
  array_relationships: ArrayRelationship,
  computed_fields: ComputedField,
  select_permissions: Table.shape.select_permissions.unwrap().element,
  insert_permissions: Table.shape.insert_permissions.unwrap().element,
  update_permissions: Table.shape.update_permissions.unwrap().element,
  delete_permissions: Table.shape.delete_permissions.unwrap().element,
  actions: Action,
  cron_triggers: CronTrigger,
  query_collections: QueryCollection,
  allowlist: AllowListEntry,
  rest_endpoints: RestEndpoint,
  remote_schemas: RemoteSchema,
  remote_relationships: RemoteRelationship,
  relationships: RemoteRelationship,
}

export type Metadata = z.infer<typeof Metadata>
export type SourceMetadata = z.infer<typeof Source>

/** Returns metadata with only the source `default`, without tracked objects, for an engine without a metadata folder. */
export function emptyMetadata(): Metadata {
  return Metadata.parse({ version: 3, sources: [{ name: 'default', kind: 'postgres' }] })
}
