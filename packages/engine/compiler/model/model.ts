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

/** Metadata resolved against the catalogue: the objects that can be served, and the reasons why others cannot. */
export type Model = {
  metadata: Metadata
  inconsistencies: readonly Inconsistency[]
  /** By name, in the order of the metadata, without inconsistent sources. */
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

/** A source, resolved against the catalogue of its database. Only its remote relationships refer to other sources. */
export type SourceModel = {
  name: string
  naming: Naming
  /** By the key of `catalogKey`. */
  tables: ReadonlyMap<string, Table>
  functions: readonly TrackedFunction[]
  nativeQueries: readonly NativeQuery[]
  eventTriggers: ReadonlyMap<string, EventTrigger>
}

/** The settings that affect the model. */
export type ModelSettings = {
  stringifyNumericTypes: boolean
  inferFunctionPermissions: boolean
  /** True if roles other than admin need a permission for a remote schema. */
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
  /** The name in GraphQL. */
  field: string
  type: PgType
  nullable: boolean
  isGenerated: boolean
  comment: string | null
  enumType: EnumType | null
}

/** A GraphQL enum with the rows of an enum table as values; `table` is the table's name in messages. */
export type EnumType = { name: string; table: string; values: readonly EnumValue[] }

export type Table = Name & {
  source: SourceModel
  /** The name of the table in GraphQL's notation, for messages. */
  graphqlName: string
  /** The base of the names of the table's types and fields. */
  baseName: BaseName
  /** The name of the type of the table's rows. */
  rowType: string
  comment: string | null
  /** The names of the root fields; a comment replaces the generated description. */
  rootFields: ReadonlyMap<RootFieldKind, { name: string; comment: string | null | undefined }>
  /** By GraphQL name. */
  columns: ReadonlyMap<string, Column>
  primaryKey: readonly Column[] | null
  constraints: readonly { name: string; columns: readonly string[] }[]
  /**
   * Unique indexes. Hasura lists them as constraints, although PostgreSQL rejects them in `on conflict on constraint`.
   */
  uniqueIndexes: readonly { name: string; columns: readonly string[] }[]
  insertable: boolean
  updatable: boolean
  deletable: boolean
  /** This and the next two properties are copied from `CatalogTable`, which explains them. */
  readsOwnRowsOnly: boolean
  insertsOwnRowsOnly: boolean
  canHaveRowTriggers: boolean
  relationships: ReadonlyMap<string, Relationship>
  /** Relationships from or to the rows of a native query. They can be selected, but not used in filters or orders. */
  nativeRelationships: ReadonlyMap<string, NativeRelationship>
  computedFields: ReadonlyMap<string, ComputedField>
  remoteRelationships: ReadonlyMap<string, TableRemoteRelationship>
  permissions: ReadonlyMap<string, TablePermissions>
  /** Set if columns of other tables refer to this table as an enum. */
  enumType: EnumType | null
  /** True for a logical model: the rows of native queries, without a table in the database. */
  isLogicalModel: boolean
  /**
   * True if the schema contains the table. A table with an invalid GraphQL name is tracked only for its event triggers.
   * As in Hasura, no role has permissions on such a table.
   */
  isInSchema: boolean
}

export type RootFieldKind = (typeof ROOT_FIELD_KINDS)[number]

export type Relationship = {
  name: string
  kind: 'object' | 'array'
  remote: Table
  pairs: readonly { local: Column; remote: Column }[]
  /** True if the type in GraphQL is nullable. */
  nullable: boolean
  /** True if a nested insert inserts the related row after the parent row. */
  isInsertedAfterParent: boolean
}

/** A relationship from or to the rows of a native query, or to the rows inside a column. */
export type NativeRelationship = Pick<
  Relationship,
  'name' | 'kind' | 'remote' | 'pairs' | 'nullable'
> & {
  target: 'table' | { query: NativeQuery } | { column: Column }
}

export type FunctionArgument = {
  /** The name in GraphQL. */
  field: string
  /** The name in SQL; null for an unnamed argument, which is passed by position. */
  name: string | null
  type: PgType
  isOptional: boolean
  kind: 'caller' | 'session' | 'table'
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
  /** The type of the arguments of both fields. */
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
  /** The pieces of the statement's text with its arguments between them. */
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
  /** The visible columns. A column with a predicate is visible only in rows where it is true (inherited roles). */
  columns: ReadonlyMap<Column, Predicate | null>
  computedFields: ReadonlyMap<ComputedField, Predicate | null>
  filter: Predicate
  limit: number | null
  allowsAggregations: boolean
  /** The permitted root fields; null for all. */
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
  /** Null for none. The updates of an upsert must then satisfy the insert's check. */
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

/** The webhook that may reject the input of a mutation. */
export type InputValidation = {
  url: string
  headers: readonly HeaderMetadata[]
  forwardsClientHeaders: boolean
  timeoutMs: number
}

/** Another GraphQL server; its fields become part of the engine's schema. */
export type RemoteSchema = {
  name: string
  definition: RemoteSchemaDefinitionMetadata
  types: RemoteTypes
  /** The part of the schema that each role with a permission may use. */
  roles: ReadonlyMap<string, RemoteTypes>
  customization: Customization
  /** By the original name of the type, then by the name of the relationship. */
  relationships: ReadonlyMap<string, ReadonlyMap<string, RemoteRelationship>>
}

/** A relationship that SQL does not join: from or to a remote schema, or to a table, usually of another source. */
export type RemoteRelationship = {
  name: string
  /**
   * The type of the objects that have the relationship, and the relationship's name: `person_keeper`. It is the end of
   * the names of the input types that are generated for the relationship.
   */
  key: string
  target: ToTable | ToRemoteField
}

/** The rows of `table` in which each mapped column equals its field on the left side of the relationship. */
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

/** A field with its arguments; in an argument, the text `$name` is replaced by a field of the left side. */
export type RemoteStep = { field: string; args: Readonly<Record<string, unknown>> }

/** A remote relationship of a table, with the columns and computed fields that it joins on. */
export type TableRemoteRelationship = RemoteRelationship & {
  leftFields: ReadonlyMap<string, Column | ComputedField>
}
