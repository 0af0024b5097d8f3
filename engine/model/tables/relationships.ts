import type {
  ArrayRelationshipMetadata,
  ObjectRelationshipMetadata,
} from '../../metadata/relationships.ts'
import { catalogKey } from '../../postgres/catalog.ts'
import { Inconsistent, type Report, SelfEvident } from '../inconsistency.ts'
import type { Column, Relationship } from '../model.ts'
import { isGraphQLName, type OpenTable, type OpenTables } from './tables.ts'

/** Adds object and array relationships, from foreign keys or from column mappings. */
export function addRelationships(tables: OpenTables, errors: Report): void {
  for (const table of tables.values()) {
    for (const metadata of table.metadata.object_relationships)
      add(table, metadata, 'object', () => objectRelationship(table, metadata, tables))
    for (const metadata of table.metadata.array_relationships)
      add(table, metadata, 'array', () => arrayRelationship(table, metadata, tables))
  }

  function add(
    table: OpenTable,
    metadata: ObjectRelationshipMetadata | ArrayRelationshipMetadata,
    kind: Relationship['kind'],
    resolve: () => Relationship,
  ) {
    const { name } = metadata
    const subject = {
      type: `${kind}_relation`,
      name: `${kind}_relation ${name} in table ${catalogKey(table)} in source default`,
      within: `in table "${catalogKey(table)}": in relationship "${name}"`,
      definition: { ...metadata, table: table.metadata.table },
    }
    const relationship = errors.attempt(subject, () => {
      if (!isGraphQLName(name)) throw new Inconsistent(`"${name}" is not a valid name in GraphQL`)
      if (table.columns.has(name))
        throw new Inconsistent('field definition conflicts with postgres column')
      return resolve()
    })
    if (relationship) table.relationships.set(name, relationship)
  }
}

function objectRelationship(
  table: OpenTable,
  metadata: ObjectRelationshipMetadata,
  tables: OpenTables,
): Relationship {
  const { foreign_key_constraint_on: on, manual_configuration: manual } = metadata.using
  const base = { name: metadata.name, kind: 'object', comment: metadata.comment ?? null } as const
  if (manual) {
    const remote = tracked(tables, manual.remote_table)
    const pairs = pairsOf(table, remote, Object.entries(manual.column_mapping))
    const afterParent = manual.insertion_order === 'after_parent'
    return { ...base, remote, pairs, nullable: true, afterParent }
  }
  if (on === undefined) throw new Inconsistent('a relationship needs a key or a column mapping')
  if (typeof on === 'string' || Array.isArray(on)) {
    const { remote, pairs } = forward(table, [on].flat(), tables)
    const nullable = pairs.some(({ local }) => local.nullable)
    return { ...base, remote, pairs, nullable, afterParent: false }
  }
  return { ...base, ...reverse(table, on, tables), nullable: true, afterParent: true }
}

function arrayRelationship(
  table: OpenTable,
  metadata: ArrayRelationshipMetadata,
  tables: OpenTables,
): Relationship {
  const { foreign_key_constraint_on: on, manual_configuration: manual } = metadata.using
  const base = {
    name: metadata.name,
    kind: 'array',
    nullable: false,
    afterParent: true,
    comment: metadata.comment ?? null,
  } as const
  if (on) return { ...base, ...reverse(table, on, tables) }
  if (!manual) throw new Inconsistent('a relationship needs a key or a column mapping')
  const remote = tracked(tables, manual.remote_table)
  return { ...base, remote, pairs: pairsOf(table, remote, Object.entries(manual.column_mapping)) }
}

type Pairs = Pick<Relationship, 'remote' | 'pairs'>

/** The columns that a foreign key of this table joins. */
function forward(table: OpenTable, columns: readonly string[], tables: OpenTables): Pairs {
  const key = table.catalog.foreignKeys.find((candidate) => same(candidate.columns, columns))
  if (!key)
    throw new Inconsistent(
      `no foreign constraint exists on the given column(s): ${columns.join(', ')}`,
    )
  const remote = tracked(tables, { schema: key.schema, name: key.table })
  return { remote, pairs: pairsOf(table, remote, zip(key.columns, key.foreignColumns)) }
}

/** The columns that a foreign key of another table to this one joins. */
function reverse(
  table: OpenTable,
  on: {
    table: { schema: string; name: string }
    column?: string | undefined
    columns?: string[] | undefined
  },
  tables: OpenTables,
): Pairs {
  const remote = tracked(tables, on.table)
  const columns = on.columns ?? (on.column === undefined ? [] : [on.column])
  const key = remote.catalog.foreignKeys.find(
    (candidate) =>
      same(candidate.columns, columns) &&
      candidate.schema === table.schema &&
      candidate.table === table.name,
  )
  if (!key)
    throw new Inconsistent(
      `no foreign constraint exists on the given column(s) of "${catalogKey(remote)}": ${columns.join(', ')}`,
    )
  return { remote, pairs: pairsOf(table, remote, zip(key.foreignColumns, key.columns)) }
}

function tracked(tables: OpenTables, name: { schema: string; name: string }): OpenTable {
  const table = tables.get(catalogKey(name))
  if (!table) throw new SelfEvident(`table "${catalogKey(name)}" is not tracked`)
  return table
}

function pairsOf(
  table: OpenTable,
  remote: OpenTable,
  mapping: readonly (readonly [string, string])[],
): Relationship['pairs'] {
  return mapping.map(([from, to]) => ({ local: column(table, from), remote: column(remote, to) }))
}

function column(table: OpenTable, name: string): Column {
  const found = [...table.columns.values()].find((candidate) => candidate.name === name)
  if (!found)
    throw new Inconsistent(`column "${name}" does not exist in table "${catalogKey(table)}"`)
  return found
}

function zip(left: readonly string[], right: readonly string[]) {
  return left.flatMap((item, i) => (right[i] === undefined ? [] : [[item, right[i]] as const]))
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item))
}
