import { z } from 'zod'
import { isRecord } from '../plan/decision.ts'

/** A PostgreSQL name; metadata may leave the schema out. */
export const QualifiedName = z.union(
  [
    z.string().transform((name) => ({ schema: 'public', name })),
    z.object({ schema: z.string().default('public'), name: z.string() }),
  ],
  {
    error: ({ input }) =>
      input === undefined || isRecord(input)
        ? undefined
        : 'expecting a string/object for QualifiedObject',
  },
)

/** A boolean expression; its grammar depends on the table, so the model parses it. */
const Expression = z.record(z.string(), z.unknown())

const Columns = z.union([z.literal('*'), z.array(z.string())])
const Comment = z.string().nullish()

const SelectPermission = z.object({
  columns: Columns.default([]),
  computed_fields: z.array(z.string()).default([]),
  filter: Expression.default({}),
  limit: z.number().int().nonnegative().nullish(),
  allow_aggregations: z.boolean().default(false),
  query_root_fields: z.array(z.string()).nullish(),
  subscription_root_fields: z.array(z.string()).nullish(),
})

const InsertPermission = z.object({
  check: Expression.default({}),
  columns: Columns.nullish(),
  set: z.record(z.string(), z.unknown()).default({}),
  backend_only: z.boolean().default(false),
  validate_input: z.unknown().optional(),
})

const UpdatePermission = z.object({
  columns: Columns.default([]),
  filter: Expression.default({}),
  check: Expression.nullish(),
  set: z.record(z.string(), z.unknown()).default({}),
  backend_only: z.boolean().default(false),
  validate_input: z.unknown().optional(),
})

const DeletePermission = z.object({
  filter: Expression.default({}),
  backend_only: z.boolean().default(false),
  validate_input: z.unknown().optional(),
})

function granted<T extends z.ZodType>(permission: T) {
  return z.array(z.object({ role: z.string(), permission, comment: Comment })).default([])
}

const ManualRelationship = z.object({
  remote_table: QualifiedName,
  column_mapping: z.record(z.string(), z.string()),
  insertion_order: z.enum(['before_parent', 'after_parent']).nullish(),
})

const ForeignKey = z.object({
  table: QualifiedName,
  column: z.string().optional(),
  columns: z.array(z.string()).optional(),
})

const ObjectRelationship = z.object({
  name: z.string(),
  comment: Comment,
  using: z.object({
    foreign_key_constraint_on: z.union([z.string(), z.array(z.string()), ForeignKey]).optional(),
    manual_configuration: ManualRelationship.optional(),
  }),
})

const ArrayRelationship = z.object({
  name: z.string(),
  comment: Comment,
  using: z.object({
    foreign_key_constraint_on: ForeignKey.optional(),
    manual_configuration: ManualRelationship.optional(),
  }),
})

const ComputedField = z.object({
  name: z.string(),
  comment: Comment,
  definition: z.object({
    function: QualifiedName,
    table_argument: z.string().nullish(),
    session_argument: z.string().nullish(),
  }),
})

/** A root field's name, or its name and comment. */
const RootField = z
  .union([
    z.string().transform((name) => ({ name, comment: undefined })),
    z.object({ name: z.string().nullish(), comment: z.string().nullish() }),
  ])
  .nullish()

/** What a table's root fields are for. */
export const ROOT_FIELD_KINDS = [
  'select',
  'select_by_pk',
  'select_aggregate',
  'select_stream',
  'insert',
  'insert_one',
  'update',
  'update_by_pk',
  'update_many',
  'delete',
  'delete_by_pk',
] as const

const DUPLICATED = 'the following custom root field names are duplicated'

const RootFields = z
  .partialRecord(z.enum(ROOT_FIELD_KINDS), RootField)
  .superRefine((fields, { addIssue }) => {
    const names = Object.values(fields).flatMap((field) => field?.name ?? [])
    const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i))
    if (twice.size > 0) addIssue(`${DUPLICATED}: ${ENGLISH.format(twice)}`)
  })

const ENGLISH = new Intl.ListFormat('en')

const TableConfiguration = z.object({
  custom_name: z.string().nullish(),
  custom_column_names: z.record(z.string(), z.string()).default({}),
  column_config: z
    .record(z.string(), z.object({ custom_name: z.string().nullish(), comment: Comment }))
    .default({}),
  custom_root_fields: RootFields.default({}),
  comment: Comment,
})

/** A header of a webhook. */
export const Header = z
  .object({
    name: z.string(),
    value: z.string().nullish(),
    value_from_env: z.string().nullish(),
  })
  .refine(({ value_from_env }) => !value_from_env?.startsWith('HASURA_GRAPHQL_'), {
    error: 'env variables starting with "HASURA_GRAPHQL_" are not allowed for value_from_env',
  })

const EventTrigger = z.looseObject({ name: z.string() })

/** A tracked table with all that belongs to it. */
export const Table = z.object({
  table: QualifiedName,
  is_enum: z.boolean().default(false),
  configuration: TableConfiguration.prefault({}),
  object_relationships: z.array(ObjectRelationship).default([]),
  array_relationships: z.array(ArrayRelationship).default([]),
  remote_relationships: z.array(z.looseObject({ name: z.string() })).default([]),
  computed_fields: z.array(ComputedField).default([]),
  select_permissions: granted(SelectPermission),
  insert_permissions: granted(InsertPermission),
  update_permissions: granted(UpdatePermission),
  delete_permissions: granted(DeletePermission),
  event_triggers: z.array(EventTrigger).default([]),
  apollo_federation_config: z.unknown().optional(),
  logical_model: z.unknown().optional(),
})

/** A tracked function. */
export const TrackedFunction = z.object({
  function: QualifiedName,
  configuration: z
    .object({
      custom_name: z.string().nullish(),
      custom_root_fields: z
        .object({ function: z.string().nullish(), function_aggregate: z.string().nullish() })
        .superRefine(({ function: rows, function_aggregate: fold }, { addIssue }) => {
          if (rows != null && rows === fold) addIssue(`${DUPLICATED}: "${rows}" and "${fold}"`)
        })
        .prefault({}),
      session_argument: z.string().nullish(),
      exposed_as: z.enum(['query', 'mutation']).nullish(),
    })
    .prefault({}),
  permissions: z.array(z.object({ role: z.string() })).default([]),
  comment: Comment,
})

const ScalarField = z.object({
  name: z.string(),
  description: Comment,
  type: z.looseObject({
    scalar: z.string().optional(),
    logical_model: z.string().optional(),
    array: z.unknown().optional(),
    nullable: z.boolean().default(false),
  }),
})

const LogicalModel = z.object({
  name: z.string(),
  description: Comment,
  fields: z.array(ScalarField).default([]),
  select_permissions: granted(SelectPermission),
})

/** A statement that is a root field. */
export const NativeQuery = z.object({
  root_field_name: z.string(),
  type: z.enum(['query']).default('query'),
  code: z.string(),
  comment: Comment,
  arguments: z
    .record(
      z.string(),
      z.object({ type: z.string(), nullable: z.boolean().default(false), description: Comment }),
    )
    .default({}),
  returns: z.string(),
  object_relationships: z.array(ObjectRelationship).default([]),
  array_relationships: z.array(ArrayRelationship).default([]),
})

const Source = z.object({
  name: z.string(),
  kind: z.string().default('postgres'),
  configuration: z.unknown().optional(),
  customization: z.unknown().optional(),
  tables: z.array(Table).default([]),
  functions: z.array(TrackedFunction).default([]),
  native_queries: z.array(NativeQuery).default([]),
  logical_models: z.array(LogicalModel).default([]),
})

const Transform = z.looseObject({ version: z.number().optional() })

const Action = z.object({
  name: z.string(),
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
  permissions: z.array(z.object({ role: z.string() })).default([]),
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

const CustomTypes = z.object({
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

/** How often and for how long something scheduled is tried. */
export const RetryConfiguration = z.object({
  num_retries: z.number().int().nonnegative().default(0),
  retry_interval_seconds: z.number().nonnegative().default(10),
  timeout_seconds: z.number().positive().default(60),
  tolerance_seconds: z.number().nonnegative().default(21_600),
})

const CronTrigger = z.object({
  name: z.string(),
  webhook: z.string(),
  schedule: z.string(),
  payload: z.unknown().optional(),
  headers: z.array(Header).default([]),
  retry_conf: RetryConfiguration.prefault({}),
  include_in_metadata: z.boolean().default(true),
  comment: Comment,
  request_transform: Transform.nullish(),
  response_transform: Transform.nullish(),
})

const AllowListEntry = z.object({
  collection: z.string(),
  scope: z
    .object({ global: z.boolean(), roles: z.array(z.string()).nonempty().nullish() })
    .refine(({ global, roles }) => !(global && roles), 'roles are not allowed when global is true')
    .refine(({ global, roles }) => global || roles, 'key "roles" not found')
    .refine(({ roles }) => new Set(roles).size === (roles ?? []).length, {
      error: 'duplicate roles are not allowed',
    })
    .default({ global: true }),
})

const QueryCollection = z.object({
  name: z.string(),
  comment: Comment,
  definition: z.object({ queries: z.array(z.object({ name: z.string(), query: z.string() })) }),
})

const RestEndpoint = z.object({
  name: z.string(),
  url: z.string().min(1, 'empty string not allowed'),
  methods: z.array(z.string()),
  definition: z.object({
    query: z.object({ collection_name: z.string(), query_name: z.string() }),
  }),
  comment: Comment,
})

/** Who may not introspect; Hasura knows this in its paid editions only. */
export const Introspection = z.object({ disabled_for_roles: z.array(z.string()).default([]) })

/** Hasura's metadata, version 3, with Hasura's own key names: what the folder and `replace_metadata` hold. */
export const Metadata = z.object({
  version: z.number().default(3),
  sources: z.array(Source).default([]),
  actions: z.array(Action).default([]),
  custom_types: CustomTypes.prefault({}),
  cron_triggers: z.array(CronTrigger).default([]),
  inherited_roles: z
    .array(z.object({ role_name: z.string(), role_set: z.array(z.string()) }))
    .default([]),
  query_collections: z.array(QueryCollection).default([]),
  allowlist: z.array(AllowListEntry).default([]),
  rest_endpoints: z.array(RestEndpoint).default([]),
  remote_schemas: z.array(z.looseObject({ name: z.string() })).default([]),
  api_limits: z.unknown().optional(),
  graphql_schema_introspection: Introspection.nullish(),
  network: z.unknown().optional(),
  metrics_config: z.unknown().optional(),
  opentelemetry: z.unknown().optional(),
  backend_configs: z.unknown().optional(),
})

/** What one entry of a list must be, by the name of the list; a permission is like the others of its kind. */
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
}

export type Metadata = z.infer<typeof Metadata>
export type SourceMetadata = z.infer<typeof Source>
export type TableMetadata = z.infer<typeof Table>
export type FunctionMetadata = z.infer<typeof TrackedFunction>
export type ActionMetadata = z.infer<typeof Action>
export type CustomTypesMetadata = z.infer<typeof CustomTypes>
export type RetryConfiguration = z.infer<typeof RetryConfiguration>
export type CronTriggerMetadata = z.infer<typeof CronTrigger>
export type NativeQueryMetadata = z.infer<typeof NativeQuery>
export type LogicalModelMetadata = z.infer<typeof LogicalModel>
export type ComputedFieldMetadata = z.infer<typeof ComputedField>
export type ObjectRelationshipMetadata = z.infer<typeof ObjectRelationship>
export type ArrayRelationshipMetadata = z.infer<typeof ArrayRelationship>
export type SelectPermissionMetadata = z.infer<typeof SelectPermission>
export type InsertPermissionMetadata = z.infer<typeof InsertPermission>
export type UpdatePermissionMetadata = z.infer<typeof UpdatePermission>
export type DeletePermissionMetadata = z.infer<typeof DeletePermission>

/** Nothing tracked: what an engine without a metadata folder starts with. */
export function emptyMetadata(): Metadata {
  return Metadata.parse({ version: 3, sources: [{ name: 'default', kind: 'postgres' }] })
}
