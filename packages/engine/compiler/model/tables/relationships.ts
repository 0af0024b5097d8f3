import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import type {
  ArrayRelationshipMetadata,
  ManualRelationshipMetadata,
  ObjectRelationshipMetadata,
} from '../../../metadata/relationships.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import {
  type InconsistencyReport,
  Inconsistent,
  inconsistentWithoutPlace,
} from '../inconsistency.ts'
import type { Column, Relationship, Table } from '../model.ts'
import {
  isGraphQLName,
  type UnfinishedTable,
  type UnfinishedTables,
  unnamableMessage,
} from './tables.ts'

export function addRelationships(tables: UnfinishedTables, errors: InconsistencyReport): void {
  for (const table of tables.values()) {
    for (const metadata of table.metadata.object_relationships)
      add(table, metadata, 'object', () => resolveObjectRelationship(table, metadata, tables))
    for (const metadata of table.metadata.array_relationships)
      add(table, metadata, 'array', () => resolveArrayRelationship(table, metadata, tables))
  }

  function add(
    table: UnfinishedTable,
    metadata: ObjectRelationshipMetadata | ArrayRelationshipMetadata,
    kind: Relationship['kind'],
    resolve: () => Relationship,
  ) {
    const { name } = metadata
    // Relationships to native queries are resolved later.
    if (metadata.using.manual_configuration?.remote_native_query !== undefined) return
    const subject = {
      type: `${kind}_relation`,
      name: `${kind}_relation ${name} in table ${catalogKey(table)} in source ${table.source.name}`,
      source: table.source.name,
      prefix: `in table "${catalogKey(table)}": in relationship "${name}"`,
      definition: { ...metadata, table: table.metadata.table },
    }
    const relationship = errors.attempt(subject, () => {
      if (!isGraphQLName(name)) throw new Inconsistent(unnamableMessage(name))
      if (table.columns.has(name))
        throw inconsistentWithoutPlace('field definition conflicts with postgres column')
      return resolve()
    })
    if (relationship) table.relationships.set(name, relationship)
  }
}

function resolveObjectRelationship(
  table: UnfinishedTable,
  metadata: ObjectRelationshipMetadata,
  tables: UnfinishedTables,
): Relationship {
  const { foreign_key_constraint_on: on, manual_configuration: manual } = metadata.using
  const base = { name: metadata.name, kind: 'object' } as const
  if (manual) {
    const remote = requireRemoteTable(tables, requireTable(manual))
    const pairs = columnPairs(table, remote, Object.entries(manual.column_mapping))
    const afterParent = manual.insertion_order === 'after_parent'
    return { ...base, remote, pairs, nullable: true, isInsertedAfterParent: afterParent }
  }
  if (on === undefined) throw new Inconsistent('a relationship needs a key or a column mapping')
  if (typeof on === 'string' || Array.isArray(on)) {
    const { remote, pairs } = joinByLocalKey(table, [on].flat(), tables)
    const nullable = pairs.some(({ local }) => local.nullable)
    return { ...base, remote, pairs, nullable, isInsertedAfterParent: false }
  }
  return {
    ...base,
    ...joinByRemoteKey(table, on, tables),
    nullable: true,
    isInsertedAfterParent: true,
  }
}

function resolveArrayRelationship(
  table: UnfinishedTable,
  metadata: ArrayRelationshipMetadata,
  tables: UnfinishedTables,
): Relationship {
  const { foreign_key_constraint_on: on, manual_configuration: manual } = metadata.using
  const base = {
    name: metadata.name,
    kind: 'array',
    nullable: false,
    isInsertedAfterParent: true,
  } as const
  if (on) return { ...base, ...joinByRemoteKey(table, on, tables) }
  if (!manual) throw new Inconsistent('a relationship needs a key or a column mapping')
  const remote = requireRemoteTable(tables, requireTable(manual))
  return {
    ...base,
    remote,
    pairs: columnPairs(table, remote, Object.entries(manual.column_mapping)),
  }
}

const NO_KEY = 'no foreign constraint exists on the given column(s)'

type Pairs = Pick<Relationship, 'remote' | 'pairs'>

/** Finds the table and columns that a foreign key of this table refers to. */
function joinByLocalKey(
  table: UnfinishedTable,
  columns: readonly string[],
  tables: UnfinishedTables,
): Pairs {
  const key = table.catalog.foreignKeys.find((candidate) =>
    haveSameColumns(candidate.columns, columns),
  )
  if (!key) throw new Inconsistent(NO_KEY)
  const remote = requireRemoteTable(tables, { schema: key.schema, name: key.table })
  return { remote, pairs: columnPairs(table, remote, zipColumns(key.columns, key.foreignColumns)) }
}

/** Finds the table and columns of a foreign key that refers to this table. */
function joinByRemoteKey(
  table: UnfinishedTable,
  on: {
    table: { schema: string; name: string }
    column?: string | undefined
    columns?: string[] | undefined
  },
  tables: UnfinishedTables,
): Pairs {
  const remote = tables.get(catalogKey(on.table))
  if (!remote)
    throw new Inconsistent(
      `table "${catalogKey(on.table)}" does not exist in source: ${table.source.name}`,
    )
  const columns = on.columns ?? (on.column === undefined ? [] : [on.column])
  const key = remote.catalog.foreignKeys.find(
    (candidate) =>
      haveSameColumns(candidate.columns, columns) &&
      candidate.schema === table.schema &&
      candidate.table === table.name,
  )
  if (!key) throw new Inconsistent(NO_KEY)
  return { remote, pairs: columnPairs(table, remote, zipColumns(key.foreignColumns, key.columns)) }
}

function requireTable({ remote_table }: ManualRelationshipMetadata) {
  return requireValue(remote_table, 'the table of a relationship')
}

/** Returns the tracked table with a name. @throws Inconsistent if the table is not tracked */
export function requireRemoteTable(
  tables: UnfinishedTables,
  name: { schema: string; name: string },
): UnfinishedTable {
  const table = tables.get(catalogKey(name))
  if (!table) throw inconsistentWithoutPlace(`table "${catalogKey(name)}" is not tracked`)
  return table
}

/** Resolves the names in a mapping to the columns of both sides. */
export function columnPairs(
  table: Table,
  remote: Table,
  mapping: readonly (readonly [string, string])[],
): Relationship['pairs'] {
  return mapping.map(([from, to]) => ({
    local: requireJoinColumn(table, from),
    remote: requireJoinColumn(remote, to),
  }))
}

function requireJoinColumn(table: Table, name: string): Column {
  const column = [...table.columns.values()].find((candidate) => candidate.name === name)
  if (!column)
    throw inconsistentWithoutPlace(`table "${catalogKey(table)}" has no field named "${name}"`)
  return column
}

function zipColumns(left: readonly string[], right: readonly string[]) {
  return left.flatMap((item, i) => (right[i] === undefined ? [] : [[item, right[i]] as const]))
}

function haveSameColumns(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item))
}
