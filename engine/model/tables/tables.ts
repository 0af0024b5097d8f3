import { ownValue } from '../../json/own-value.ts'
import { ROOT_FIELD_KINDS } from '../../metadata/root-fields.ts'
import type { TableMetadata } from '../../metadata/tables.ts'
import {
  type Catalog,
  type CatalogColumn,
  type CatalogTable,
  catalogKey,
} from '../../postgres/catalog.ts'
import { Impossible, Inconsistent, type Report } from '../inconsistency.ts'
import type {
  Column,
  ComputedField,
  EnumType,
  ModelSettings,
  Relationship,
  RootFieldKind,
  Table,
  TablePermissions,
} from '../model.ts'
import { type RootNames, rootNamesOf } from '../root-names.ts'

/** A table while the model is built: the later steps fill in what the first cannot know. */
export type OpenTable = Table & {
  metadata: TableMetadata
  catalog: CatalogTable
  columns: Map<string, Column>
  relationships: Map<string, Relationship>
  computedFields: Map<string, ComputedField>
  permissions: Map<string, TablePermissions>
}

export type OpenTables = Map<string, OpenTable>

type TablesInput = {
  catalog: Catalog
  tracked: readonly TableMetadata[]
  settings: ModelSettings
  names: RootNames
  errors: Report
}

/** Looks up every tracked table in the catalogue, and resolves its names and columns. */
export function resolveTables({
  catalog,
  tracked,
  settings,
  names,
  errors,
}: TablesInput): OpenTables {
  const enums = new Map<string, EnumType>()
  const types = new Set<string>()
  const found = tracked.flatMap((metadata) => {
    const subject = {
      type: 'table',
      name: `table ${catalogKey(metadata.table)} in source default`,
      definition: metadata.table,
    }
    const resolved = errors.attempt(subject, () => {
      const table = resolveTable(catalog, metadata, enums)
      if (types.has(table.graphqlName))
        throw new Impossible(
          'unexpected',
          `another table has the same name in GraphQL: "${table.graphqlName}"`,
        )
      names.claim(subject.name, rootNamesOf(table, settings))
      types.add(table.graphqlName)
      return table
    })
    return resolved ?? []
  })
  const tables = new Map(found.map((table) => [catalogKey(table), table]))
  for (const table of found) addColumns(table, enums)
  return tables
}

function resolveTable(
  catalog: Catalog,
  metadata: TableMetadata,
  enums: Map<string, EnumType>,
): OpenTable {
  const key = catalogKey(metadata.table)
  const found = catalog.tables.get(key)
  if (!found) throw new Inconsistent(`no such table/view exists in source: "${key}"`)
  const { configuration } = metadata
  const graphqlName = configuration.custom_name ?? key.replaceAll('.', '_')
  if (!NAME.test(graphqlName))
    throw new Inconsistent(`table "${key}" needs a custom name: it is not a valid name in GraphQL`)
  const enumType = metadata.is_enum ? enumOf(catalog, found, graphqlName) : null
  if (enumType) enums.set(key, enumType)
  return {
    metadata,
    catalog: found,
    schema: found.schema,
    name: found.name,
    graphqlName,
    comment: configuration.comment ?? found.comment,
    rootFields: rootFieldsOf(graphqlName, metadata),
    columns: new Map(),
    primaryKey: null,
    constraints: [...(found.primaryKey ? [found.primaryKey] : []), ...found.uniqueKeys],
    insertable: found.insertable,
    updatable: found.updatable,
    deletable: found.deletable,
    readsOwnRowsOnly: found.readsOwnRowsOnly,
    insertsOwnRowsOnly: found.insertsOwnRowsOnly,
    rowTriggers: found.rowTriggers,
    relationships: new Map(),
    computedFields: new Map(),
    permissions: new Map(),
    enumType,
    logical: false,
  }
}

const NAME = /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/

/** Whether a name is valid in GraphQL, which reserves names with two leading underscores. */
export function isGraphQLName(name: string): boolean {
  return NAME.test(name)
}

const PATTERNS: Readonly<Record<RootFieldKind, (name: string) => string>> = {
  select: (name) => name,
  select_by_pk: (name) => `${name}_by_pk`,
  select_aggregate: (name) => `${name}_aggregate`,
  select_stream: (name) => `${name}_stream`,
  insert: (name) => `insert_${name}`,
  insert_one: (name) => `insert_${name}_one`,
  update: (name) => `update_${name}`,
  update_by_pk: (name) => `update_${name}_by_pk`,
  update_many: (name) => `update_${name}_many`,
  delete: (name) => `delete_${name}`,
  delete_by_pk: (name) => `delete_${name}_by_pk`,
}

function rootFieldsOf(graphqlName: string, { configuration }: TableMetadata) {
  const fields = ROOT_FIELD_KINDS.map((kind) => {
    const custom = configuration.custom_root_fields[kind]
    const name = custom?.name ?? PATTERNS[kind](graphqlName)
    return [kind, { name, comment: custom?.comment }] as const
  })
  return new Map(fields)
}

/**
 * The enum of an enum table, which must have a text column
 * as its key, at most one more text column, and a row.
 */
function enumOf(catalog: Catalog, table: CatalogTable, graphqlName: string): EnumType {
  const key = catalogKey(table)
  const refuse = (why: string) =>
    new Inconsistent(`the table "${key}" cannot be used as an enum because ${why}`)
  if (table.primaryKey?.columns.length !== 1) throw refuse('its primary key must be one column')
  if (table.columns.length > 2)
    throw refuse('it must have exactly one primary key and optionally one comment column')
  if (!table.columns.every(({ type }) => TEXTS.includes(type.name)))
    throw refuse('its columns must be of type "text"')
  const values = catalog.enums.get(key) ?? []
  if (values.length === 0) throw refuse('it has no rows')
  const bad = values.find(({ value }) => !NAME.test(value))
  if (bad) throw refuse(`"${bad.value}" is not a valid name in GraphQL`)
  return { name: `${graphqlName}_enum`, values }
}

const TEXTS = ['text', 'varchar', 'citext', 'bpchar']

function addColumns(table: OpenTable, enums: ReadonlyMap<string, EnumType>): void {
  const { column_config, custom_column_names } = table.metadata.configuration
  for (const column of table.catalog.columns) {
    const configured = ownValue(column_config, column.name)
    const field =
      configured?.custom_name ?? ownValue(custom_column_names, column.name) ?? column.name
    if (!NAME.test(field)) continue
    table.columns.set(field, {
      name: column.name,
      field,
      type: column.type,
      nullable: column.nullable,
      generated: column.generated,
      comment: (configured?.comment ?? column.comment) || null,
      enumType: enumTypeOf(table, column, enums),
    })
  }
  table.primaryKey = primaryKeyOf(table)
}

/** The enum of a column that alone is a foreign key to an enum table; null for other columns. */
function enumTypeOf(
  { catalog }: OpenTable,
  column: CatalogColumn,
  enums: ReadonlyMap<string, EnumType>,
): EnumType | null {
  const keys = catalog.foreignKeys.filter(
    ({ columns }) => columns.length === 1 && columns[0] === column.name,
  )
  const referred = keys.map(({ schema, table }) => enums.get(catalogKey({ schema, name: table })))
  return referred.find((type) => type !== undefined) ?? null
}

function primaryKeyOf({ catalog, columns }: OpenTable): Column[] | null {
  if (!catalog.primaryKey) return null
  const all = [...columns.values()]
  const key = catalog.primaryKey.columns.flatMap((name) => all.find((c) => c.name === name) ?? [])
  return key.length === catalog.primaryKey.columns.length ? key : null
}
