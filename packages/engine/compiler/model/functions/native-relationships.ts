import type { SourceMetadata } from '../../../metadata/metadata.ts'
import { modelName, type NativeQueryMetadata } from '../../../metadata/native-queries.ts'
import type {
  ManualRelationshipMetadata,
  NativeQueryRelationshipMetadata,
} from '../../../metadata/relationships.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import { type InconsistencyReport, Inconsistent } from '../inconsistency.ts'
import type { NativeQuery, NativeRelationship, Table } from '../model.ts'
import { columnPairs, requireRemoteTable } from '../tables/relationships.ts'
import { isGraphQLName, type UnfinishedSource, unnamableMessage } from '../tables/tables.ts'

type LocalTable = Table & { nativeRelationships: Map<string, NativeRelationship> }

type RelationshipsInput = {
  source: UnfinishedSource
  queries: readonly NativeQuery[]
  models: ReadonlyMap<string, LocalTable>
  tracked: Pick<SourceMetadata, 'native_queries'>
  errors: InconsistencyReport
}

/** Adds the relationships from or to the rows of native queries. */
export function addNativeRelationships(input: RelationshipsInput): void {
  const { source, queries, models, tracked } = input
  for (const table of source.tables.values()) {
    const { object_relationships, array_relationships } = table.metadata
    const place = `table ${catalogKey(table)}`
    const add = (kind: NativeRelationship['kind'], name: string, using: Using) => {
      const manual = using.manual_configuration
      if (manual?.remote_native_query !== undefined)
        addRelationship(input, table, { kind, name, using: manual, place })
    }
    for (const { name, using } of object_relationships) add('object', name, using)
    for (const { name, using } of array_relationships) add('array', name, using)
  }
  for (const metadata of tracked.native_queries) {
    const local = models.get(modelName(metadata))
    if (local && queries.some(({ field }) => field === metadata.root_field_name))
      addQueryRelationships(input, local, metadata)
  }
}

type Using = { manual_configuration?: ManualRelationshipMetadata | undefined }

function addQueryRelationships(
  input: RelationshipsInput,
  local: LocalTable,
  metadata: NativeQueryMetadata,
): void {
  const place = `native_query ${metadata.root_field_name}`
  const add =
    (kind: NativeRelationship['kind']) => (relationship: NativeQueryRelationshipMetadata) =>
      addRelationship(input, local, { kind, ...relationship, place })
  metadata.object_relationships.forEach(add('object'))
  metadata.array_relationships.forEach(add('array'))
}

type RelationshipDefinition = {
  kind: NativeRelationship['kind']
  name: string
  using: ManualRelationshipMetadata
  place: string
}

function addRelationship(
  { source, queries, errors }: RelationshipsInput,
  local: LocalTable,
  { kind, name, using, place }: RelationshipDefinition,
): void {
  const subject = {
    type: `${kind}_relation`,
    name: `${kind}_relation ${name} in ${place} in source ${source.name}`,
    source: source.name,
    prefix: `in ${place}: in relationship "${name}"`,
    definition: { name, using },
  }
  const relationship = errors.attempt(subject, (): NativeRelationship => {
    if (!isGraphQLName(name)) throw new Inconsistent(unnamableMessage(name))
    if (local.columns.has(name) || local.nativeRelationships.has(name))
      throw new Inconsistent(`"${local.name}" has a field of this name already`)
    const { remote, target } = resolveTarget(source, queries, using)
    const pairs = columnPairs(local, remote, Object.entries(using.column_mapping))
    return { name, kind, remote, pairs, nullable: kind === 'object', target }
  })
  if (relationship) local.nativeRelationships.set(name, relationship)
}

function resolveTarget(
  { tables }: UnfinishedSource,
  queries: readonly NativeQuery[],
  { remote_native_query, remote_table }: ManualRelationshipMetadata,
): Pick<NativeRelationship, 'remote' | 'target'> {
  if (remote_native_query !== undefined) {
    const query = queries.find(({ field }) => field === remote_native_query)
    if (!query) throw new Inconsistent(`native query "${remote_native_query}" is not tracked`)
    return { remote: query.returns, target: { query } }
  }
  if (remote_table === undefined) throw new Inconsistent('a relationship needs a table or a query')
  return { remote: requireRemoteTable(tables, remote_table), target: 'table' }
}
