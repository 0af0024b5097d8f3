import type { ExperimentalFeature } from '../../config/experimental-features.ts'
import type { NamingConvention } from '../../config/naming-conventions.ts'
import type { ActionMetadata, CustomTypesMetadata } from '../../metadata/actions.ts'
import type { Metadata } from '../../metadata/metadata.ts'
import type { HeaderMetadata } from '../../metadata/primitives.ts'
import type { RemoteSchemaDefinitionMetadata } from '../../metadata/remote-schemas.ts'
import type { ROOT_FIELD_KINDS } from '../../metadata/root-fields.ts'
import type { EnumValue, PgType } from '../../postgres/catalog.ts'
import type { Name, Predicate, Scalar } from '../ir/ir.ts'
import type { Customization } from './customization.ts'
import type { Inconsistency } from './inconsistency.ts'
import type { BaseName, Naming } from './naming.ts'
import type { RemoteTypes } from './remote-types.ts'
import type { RestEndpoint } from './rest-endpoints.ts'
import type { CronTrigger, EventTrigger } from './triggers.ts'

/** Metadata resolved against the catalogue: all that can be served, and the reasons why the rest cannot. */
export type Model = {
  metadata: Metadata
  inconsistencies: readonly Inconsistency[]
  /** By name, in the order of the metadata; those that are inconsistent are left out. */
  sources: ReadonlyMap<string, SourceModel>
  actions: readonly Action[]
  customTypes: CustomTypes
  remoteSchemas: ReadonlyMap<string, RemoteSchema>
  restEndpoints: readonly RestEndpoint[]
  cronTriggers: ReadonlyMap<string, CronTrigger>
  /** Inherited roles with their parents; parents come before the roles that inherit from them. */
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  settings: ModelSettings
}

/** A source, resolved against the catalogue of its database. What is in it leads to nothing in another one. */
export type SourceModel = {
  name: string
  naming: Naming
  /** By key (`catalogKey`). */
  tables: ReadonlyMap<string, Table>
  functions: readonly TrackedFunction[]
  nativeQueries: readonly NativeQuery[]
  eventTriggers: ReadonlyMap<string, EventTrigger>
}

/** The settings that affect the model. */
export type ModelSettings = {
  stringifyNumericTypes: boolean
  inferFunctionPermissions: boolean
  /** Whether roles other than admin need a permission for a remote schema. */
  enableRemoteSchemaPermissions: boolean
  experimentalFeatures: readonly ExperimentalFeature[]
  defaultNamingConvention: NamingConvention
  jsonbPathOperators: boolean
  nullCollapse: boolean
  remoteSkipsNulls: boolean
  environment: Readonly<Record<string, string | undefined>>
}

export type Column = {
  name: string
  /** Its name in GraphQL. */
  field: string
  type: PgType
  nullable: boolean
  isGenerated: boolean
  comment: string | null
  enumType: EnumType | null
}

/** A GraphQL enum whose values are the rows of an enum table; `table` is that table's name in messages. */
export type EnumType = { name: string; table: string; values: readonly EnumValue[] }

export type Table = Name & {
  source: SourceModel
  /** Its name in GraphQL's notation, as messages have it. */
  graphqlName: string
  /** Of what the names of its types and fields are made. */
  baseName: BaseName
  /** The name of its rows' type. */
  rowType: string
  comment: string | null
  /** Names of the root fields; a comment replaces the generated description. */
  rootFields: ReadonlyMap<RootFieldKind, { name: string; comment: string | null | undefined }>
  /** By GraphQL name. */
  columns: ReadonlyMap<string, Column>
  primaryKey: readonly Column[] | null
  constraints: readonly { name: string; columns: readonly string[] }[]
  /** Unique indexes, which Hasura lists among the constraints although the database accepts none for `on_conflict`. */
  uniqueIndexes: readonly { name: string; columns: readonly string[] }[]
  insertable: boolean
  updatable: boolean
  deletable: boolean
  /** See `CatalogTable` for these three. */
  readsOwnRowsOnly: boolean
  insertsOwnRowsOnly: boolean
  canHaveRowTriggers: boolean
  relationships: ReadonlyMap<string, Relationship>
  /** Can be selected, and neither filtered nor sorted by: they begin or end at the rows of a native query. */
  nativeRelationships: ReadonlyMap<string, NativeRelationship>
  computedFields: ReadonlyMap<string, ComputedField>
  remoteRelationships: ReadonlyMap<string, TableRemoteRelationship>
  permissions: ReadonlyMap<string, TablePermissions>
  /** Set when other tables' columns refer to this one as an enum. */
  enumType: EnumType | null
  /** Whether it is a logical model: the rows of native queries, without a table in the database. */
  isLogicalModel: boolean
  /**
   * Whether GraphQL has it. A table whose name is none in GraphQL, and that has no custom name, is tracked for its event triggers
   * alone, as in Hasura: no role has permissions on it.
   */
  isInSchema: boolean
}

export type RootFieldKind = (typeof ROOT_FIELD_KINDS)[number]

export type Relationship = {
  name: string
  kind: 'object' | 'array'
  remote: Table
  pairs: readonly { local: Column; remote: Column }[]
  /** Whether its type in GraphQL is nullable. */
  nullable: boolean
  /** Nested insert: whether the related row is inserted after the parent row. */
  isInsertedAfterParent: boolean
}

/** A relationship from or to the rows of a native query, or to rows that are inside of a column. */
export type NativeRelationship = Pick<
  Relationship,
  'name' | 'kind' | 'remote' | 'pairs' | 'nullable'
> & {
  leadsTo: 'table' | { query: NativeQuery } | { column: Column }
}

export type FunctionArgument = {
  /** Its name in GraphQL. */
  field: string
  /** Its name in SQL; null when it has none and is given by position. */
  name: string | null
  type: PgType
  optional: boolean
  kind: 'given' | 'session' | 'table'
}

export type Returns =
  | { kind: 'scalar'; type: PgType; enumType: null }
  | { kind: 'table'; table: Table }

export type ComputedField = Name & {
  field: string
  comment: string | null | undefined
  databaseComment: string | null
  args: readonly FunctionArgument[]
  returns: Returns
}

export type TrackedFunction = Name & {
  field: string
  aggregateField: string
  /** The type of its arguments, which both fields share. */
  argsType: string
  comment: string | null
  exposedAs: 'query' | 'mutation'
  args: readonly FunctionArgument[]
  table: Table
  returnsSet: boolean
  roles: ReadonlySet<string>
}

export type NativeQuery = {
  field: string
  args: readonly { name: string; type: PgType; nullable: boolean }[]
  /** The statement's text, with its arguments between the pieces. */
  pieces: readonly (string | { argument: string })[]
  returns: Table
}

export type Action = {
  name: string
  type: 'query' | 'mutation'
  asynchronous: boolean
  metadata: ActionMetadata
  roles: ReadonlySet<string>
}

export type ActionRelationship = {
  name: string
  kind: 'object' | 'array'
  description: string | null
  remote: Table
  mapping: readonly { field: string; column: Column }[]
}

export type CustomTypes = {
  metadata: CustomTypesMetadata
  /** Relationships of output objects, by object. */
  relationships: ReadonlyMap<string, readonly ActionRelationship[]>
}

export type TablePermissions = {
  select: SelectPermission | null
  insert: InsertPermission | null
  update: UpdatePermission | null
  delete: DeletePermission | null
}

export type SelectPermission = {
  /** Visible columns; with a predicate, only in the rows where it holds (inherited roles). */
  columns: ReadonlyMap<Column, Predicate | null>
  computedFields: ReadonlyMap<ComputedField, Predicate | null>
  filter: Predicate
  limit: number | null
  allowsAggregations: boolean
  /** Null: all root fields. */
  queryRoots: ReadonlySet<string> | null
  subscriptionRoots: ReadonlySet<string> | null
}

export type Preset = { column: Column; value: Scalar }

export type InsertPermission = {
  columns: ReadonlySet<Column>
  check: Predicate
  presets: readonly Preset[]
  backendOnly: boolean
  validation: InputValidation | null
}

export type UpdatePermission = {
  columns: ReadonlySet<Column>
  filter: Predicate
  /** Null if it has none: then the updates of an upsert must satisfy the insert's check. */
  check: Predicate | null
  presets: readonly Preset[]
  backendOnly: boolean
  validation: InputValidation | null
}

export type DeletePermission = {
  filter: Predicate
  backendOnly: boolean
  validation: InputValidation | null
}

/** The webhook that may refuse the input of a mutation. */
export type InputValidation = {
  url: string
  headers: readonly HeaderMetadata[]
  forwardsClientHeaders: boolean
  timeoutMs: number
}

/** Another GraphQL server whose fields are served beside ours. */
export type RemoteSchema = {
  name: string
  definition: RemoteSchemaDefinitionMetadata
  /** All of its types. */
  types: RemoteTypes
  /** What each role with a permission may use. */
  roles: ReadonlyMap<string, RemoteTypes>
  customization: Customization
  /** By the own name of the type that has them, and their names. */
  relationships: ReadonlyMap<string, ReadonlyMap<string, RemoteRelationship>>
}

/** A relationship that no statement can join: it leads to a remote schema, or comes from one. */
export type RemoteRelationship = {
  name: string
  /** The type or table that has it, and its name, for the names of types that it needs. */
  key: string
  to: ToTable | ToRemoteField
}

/** Rows whose columns equal fields of the left side. */
export type ToTable = {
  kind: 'table'
  table: Table
  cardinality: 'object' | 'array'
  mapping: readonly { field: string; column: Column }[]
}

/** The field at the end of a path that begins at the query root. */
export type ToRemoteField = {
  kind: 'field'
  schema: RemoteSchema
  steps: readonly RemoteStep[]
}

/** A field with its arguments, in which a text `$name` stands for a field of the left side. */
export type RemoteStep = { field: string; args: Readonly<Record<string, unknown>> }

/** A remote relationship of a table, with what its left side's fields are. */
export type TableRemoteRelationship = RemoteRelationship & {
  left: ReadonlyMap<string, Column | ComputedField>
}
