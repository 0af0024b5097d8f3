import { ownValue } from '../../../json/own-value.ts'
import { ROOT_FIELD_KINDS } from '../../../metadata/root-fields.ts'
import type { TableMetadata } from '../../../metadata/tables.ts'
import {
  type Catalog,
  type CatalogColumn,
  type CatalogTable,
  catalogKey,
} from '../../../postgres/catalog.ts'
import type { Name } from '../../ir/ir.ts'
import { ConflictingObjects, type InconsistencyReport, Inconsistent } from '../inconsistency.ts'
import type {
  Column,
  ComputedField,
  EnumType,
  ModelSettings,
  NativeRelationship,
  Relationship,
  RootFieldKind,
  SourceModel,
  Table,
  TablePermissions,
  TableRemoteRelationship,
} from '../model.ts'
import {
  type BaseName,
  customBaseName,
  type NamePart,
  type Naming,
  splitBaseName,
} from '../naming.ts'
import { type RootNames, tableRootNames } from '../root-names.ts'
import { resolveEnum } from './enum-table.ts'

/** A table while the model is built: relationships, computed fields and permissions are added step by step. */
export type UnfinishedTable = Table & {
  metadata: TableMetadata
  catalog: CatalogTable
  columns: Map<string, Column>
  relationships: Map<string, Relationship>
  nativeRelationships: Map<string, NativeRelationship>
  computedFields: Map<string, ComputedField>
  remoteRelationships: Map<string, TableRemoteRelationship>
  permissions: Map<string, TablePermissions>
}

export type UnfinishedTables = Map<string, UnfinishedTable>

/** A source while the model is built. */
export type UnfinishedSource = Omit<SourceModel, 'tables'> & { tables: UnfinishedTables }

type TablesInput = {
  source: UnfinishedSource
  catalog: Catalog
  tracked: readonly TableMetadata[]
  settings: ModelSettings
  names: RootNames
  errors: InconsistencyReport
}

/**
 * Looks up every tracked table in the catalogue, resolves its names and columns, and adds it to the source. Reserves
 * the names of the table's root fields.
 */
export function addTables({
  source,
  catalog,
  tracked,
  settings,
  names,
  errors,
}: TablesInput): void {
  const enums = new Map<string, EnumType>()
  const types = new Set<string>()
  const resolvedTables = tracked.flatMap((metadata) => {
    const subject = {
      type: 'table',
      name: `table ${catalogKey(metadata.table)} in source ${source.name}`,
      source: source.name,
      definition: metadata.table,
    }
    const resolvedTable = errors.attempt(subject, () => {
      const table = resolveTable(catalog, metadata, { enums, source })
      if (!table.isInSchema) return table
      if (types.has(table.rowType))
        throw new ConflictingObjects(
          'unexpected',
          `another table has the same name in GraphQL: "${table.graphqlName}"`,
        )
      names.reserve(subject.name, tableRootNames(table, settings))
      types.add(table.rowType)
      return table
    })
    return resolvedTable ?? []
  })
  for (const table of resolvedTables) {
    source.tables.set(catalogKey(table), table)
    addColumns(table, enums)
  }
}

type TableContext = { enums: Map<string, EnumType>; source: UnfinishedSource }

function resolveTable(
  catalog: Catalog,
  metadata: TableMetadata,
  { enums, source }: TableContext,
): UnfinishedTable {
  const { naming } = source
  const key = catalogKey(metadata.table)
  const entry = catalog.tables.get(key)
  if (!entry) throw new Inconsistent(`no such table/view exists in source: "${key}"`)
  const { configuration } = metadata
  const custom = configuration.custom_name ?? null
  const graphqlName = custom ?? key.replaceAll('.', '_')
  const isInSchema = NAME.test(graphqlName)
  if (isInSchema) refuseNames(entry, metadata, naming)
  refuseColumnNames(entry, metadata, naming)
  const baseName = custom === null ? tableWords(entry) : customBaseName(custom)
  const enumType =
    metadata.is_enum && isInSchema
      ? resolveEnum(catalog, entry, {
          name: naming.type(baseName, 'enum'),
          isName: isGraphQLName,
        })
      : null
  if (enumType) enums.set(key, enumType)
  return {
    metadata,
    catalog: entry,
    source,
    schema: entry.schema,
    name: entry.name,
    graphqlName,
    baseName,
    rowType: naming.type(baseName),
    comment: configuration.comment ?? entry.comment,
    rootFields: resolveRootFields(baseName, metadata, naming),
    columns: new Map(),
    primaryKey: null,
    constraints: [...(entry.primaryKey ? [entry.primaryKey] : []), ...entry.uniqueKeys],
    uniqueIndexes: entry.uniqueIndexes,
    ...tableCapabilities(entry),
    relationships: new Map(),
    nativeRelationships: new Map(),
    computedFields: new Map(),
    remoteRelationships: new Map(),
    permissions: new Map(),
    enumType,
    isLogicalModel: false,
    isInSchema,
  }
}

/** Returns the properties of a table that the model copies from the catalogue. */
function tableCapabilities(table: CatalogTable) {
  const { insertable, updatable, deletable } = table
  const { readsOwnRowsOnly, insertsOwnRowsOnly, canHaveRowTriggers } = table
  return {
    insertable,
    updatable,
    deletable,
    readsOwnRowsOnly,
    insertsOwnRowsOnly,
    canHaveRowTriggers,
  }
}

/** Rejects a table if the name of a column, of a unique constraint or of a unique index cannot be in the schema. */
function refuseNames(table: CatalogTable, { configuration }: TableMetadata, naming: Naming): void {
  const columns = table.columns.map(({ name }) => fieldName(name, configuration, naming))
  const keys = [table.primaryKey, ...table.uniqueKeys, ...table.uniqueIndexes].flatMap((key) =>
    key === null ? [] : [key.name],
  )
  const invalidName = [...columns, ...keys].find((name) => !/^[_A-Za-z]\w*$/.test(name))
  if (invalidName !== undefined) throw new Inconsistent(unnamableMessage(invalidName))
}

/** Rejects configuration for columns that do not exist, and a field name that several columns share. */
function refuseColumnNames(
  table: CatalogTable,
  { configuration }: TableMetadata,
  naming: Naming,
): void {
  const { column_config, custom_column_names } = configuration
  const configuredNames = Object.keys({ ...column_config, ...custom_column_names })
  const unknownName = configuredNames.find(
    (name) => !table.columns.some((column) => column.name === name),
  )
  if (unknownName !== undefined)
    throw new Inconsistent(
      `configuration was given for the column "${unknownName}", but no such column exists`,
    )
  const byField = Map.groupBy(table.columns, ({ name }) => fieldName(name, configuration, naming))
  for (const [field, columns] of byField)
    if (columns.length > 1) {
      const names = columns.map(({ name }) => `"${name}"`).toReversed()
      throw new Inconsistent(
        `the definitions of columns ${names.join(' and ')} are in conflict: they are mapped to the same field name, "${field}"`,
      )
    }
}

/** Returns the words of a table's name. The words of the schema's name come first, unless the schema is `public`. */
function tableWords({ schema, name }: Name): BaseName {
  const table = splitBaseName(name)
  if (schema === 'public') return table
  return { ...table, words: [...splitBaseName(schema).words, ...table.words] }
}

/** Returns the name of a column in the schema. Keeps a name that is invalid in GraphQL, for the error message. */
function fieldName(
  column: string,
  configuration: TableMetadata['configuration'],
  naming: Naming,
): string {
  const { column_config, custom_column_names } = configuration
  const customName = ownValue(column_config, column)?.custom_name
  const automatic = isGraphQLName(column) ? naming.field(column) : column
  return customName ?? ownValue(custom_column_names, column) ?? automatic
}

/** Returns the message about a name that cannot be in the schema. */
export function unnamableMessage(name: string): string {
  return `cannot include "${name}" in the GraphQL schema because it is not a valid GraphQL identifier`
}

const NAME = /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/

/** Reports whether a name is valid in GraphQL, which reserves names with two leading underscores. */
export function isGraphQLName(name: string): boolean {
  return NAME.test(name)
}

const PATTERNS: Readonly<Record<RootFieldKind, (table: BaseName) => readonly NamePart[]>> = {
  select: (table) => [table],
  select_by_pk: (table) => [table, 'by_pk'],
  select_aggregate: (table) => [table, 'aggregate'],
  select_stream: (table) => [table, 'stream'],
  insert: (table) => ['insert', table],
  insert_one: (table) => ['insert', table, 'one'],
  update: (table) => ['update', table],
  update_by_pk: (table) => ['update', table, 'by_pk'],
  update_many: (table) => ['update', table, 'many'],
  delete: (table) => ['delete', table],
  delete_by_pk: (table) => ['delete', table, 'by_pk'],
}

function resolveRootFields(table: BaseName, { configuration }: TableMetadata, naming: Naming) {
  const fields = ROOT_FIELD_KINDS.map((kind) => {
    const custom = configuration.custom_root_fields[kind]
    const name = custom?.name ?? naming.field(...PATTERNS[kind](table))
    return [kind, { name: naming.rootField(name), comment: custom?.comment }] as const
  })
  return new Map(fields)
}

function addColumns(table: UnfinishedTable, enums: ReadonlyMap<string, EnumType>): void {
  const { configuration } = table.metadata
  const { naming } = table.source
  for (const column of table.catalog.columns) {
    const columnConfig = ownValue(configuration.column_config, column.name)
    const field = fieldName(column.name, configuration, naming)
    if (!NAME.test(field)) continue
    table.columns.set(field, {
      name: column.name,
      field,
      type: column.type,
      nullable: column.nullable,
      isGenerated: column.generated,
      comment: (columnConfig?.comment ?? column.comment) || null,
      enumType: columnEnumType(table, column, enums),
    })
  }
  table.primaryKey = resolvePrimaryKey(table)
}

/**
 * Returns the enum of a column if the column, without further columns, is a foreign key to an enum table; otherwise
 * null.
 */
function columnEnumType(
  { catalog }: UnfinishedTable,
  column: CatalogColumn,
  enums: ReadonlyMap<string, EnumType>,
): EnumType | null {
  const keys = catalog.foreignKeys.filter(
    ({ columns }) => columns.length === 1 && columns[0] === column.name,
  )
  const enumTypes = keys.map(({ schema, table }) => enums.get(catalogKey({ schema, name: table })))
  return enumTypes.find((type) => type !== undefined) ?? null
}

function resolvePrimaryKey({ catalog, columns }: UnfinishedTable): Column[] | null {
  if (!catalog.primaryKey) return null
  const all = [...columns.values()]
  const key = catalog.primaryKey.columns.flatMap((name) => all.find((c) => c.name === name) ?? [])
  return key.length === catalog.primaryKey.columns.length ? key : null
}
