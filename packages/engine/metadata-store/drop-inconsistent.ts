import { type Inconsistency, inconsistencyKey } from '../compiler/model/inconsistency.ts'
import { SAVED_QUERY, savedQueryName } from '../compiler/schema/saved-queries.ts'
import { isRecord } from '../json/record.ts'
import { CustomTypes } from '../metadata/actions.ts'
import {
  dropComputedField,
  dropEventTrigger,
  dropLogicalModel,
  dropRelationship,
} from './edit/drops.ts'
import { dropEntry, inSequence, setPart } from './edit/edits.ts'
import { editEntries, entriesOf } from './edit/entries.ts'
import { keyedBy } from './edit/keys.ts'
import type { DocumentEdit, MetadataDocument } from './edit/metadata-document.ts'
import type { Node } from './edit/node.ts'
import {
  actions,
  cronTriggers,
  inheritedRoles,
  nativeQueries,
  remoteRelationships,
  remoteSchemas,
  restEndpoints,
  sources,
  tablePermissions,
  trackedFunctions,
  trackedTables,
} from './edit/places.ts'
import { dropEmptyTypes, remoteSchemaPermissions, typeRelationships } from './edit/remote-places.ts'

/** Copies the document without inconsistent objects. Ignores conflicts of inherited permissions, which no command can drop. */
export function withoutInconsistent(
  document: MetadataDocument,
  inconsistencies: readonly Inconsistency[],
): MetadataDocument {
  const copy = structuredClone(document)
  const distinct = new Map(inconsistencies.map((object) => [inconsistencyKey(object), object]))
  for (const { type, definition, source } of distinct.values()) {
    const removal = REMOVALS[type]
    if (removal) removal.edit(copy, { ...removal.argsOf(definition), source })
  }
  for (const { type, source } of distinct.values())
    if (type === 'source') dropEntry(sources)(copy, { name: source })
  // Saved queries come last, because removing one also removes its REST endpoints. These may be inconsistent, too, and are dropped above.
  for (const { type, name } of distinct.values())
    if (type === SAVED_QUERY) removeSavedQuery(copy, name)
  return copy
}

type Removal = { edit: DocumentEdit; argsOf(definition: unknown): Node }

/** The edit that removes an inconsistent object, and its arguments, by the object's type. */
const REMOVALS: Readonly<Record<string, Removal>> = {
  table: { edit: dropEntry(trackedTables), argsOf: (table) => ({ table }) },
  function: { edit: dropEntry(trackedFunctions), argsOf: (name) => ({ function: name }) },
  object_relation: { edit: dropRelationship, argsOf: relationshipArgs },
  array_relation: { edit: dropRelationship, argsOf: relationshipArgs },
  computed_field: { edit: dropComputedField, argsOf: toNode },
  select_permission: { edit: dropEntry(tablePermissions('select')), argsOf: toNode },
  insert_permission: { edit: dropEntry(tablePermissions('insert')), argsOf: toNode },
  update_permission: { edit: dropEntry(tablePermissions('update')), argsOf: toNode },
  delete_permission: { edit: dropEntry(tablePermissions('delete')), argsOf: toNode },
  event_trigger: { edit: dropEventTrigger, argsOf: toNode },
  native_query: { edit: dropEntry(nativeQueries), argsOf: toNode },
  logical_model: { edit: dropLogicalModel, argsOf: toNode },
  action: { edit: dropEntry(actions), argsOf: toNode },
  custom_types: { edit: setPart('custom_types', CustomTypes), argsOf: () => ({}) },
  cron_trigger: { edit: dropEntry(cronTriggers), argsOf: toNode },
  inherited_role: { edit: dropEntry(inheritedRoles), argsOf: toNode },
  rest_endpoint: { edit: dropEntry(restEndpoints), argsOf: toNode },
  remote_schema: { edit: dropEntry(remoteSchemas), argsOf: toNode },
  remote_schema_permission: { edit: dropEntry(remoteSchemaPermissions), argsOf: toNode },
  remote_relationship: { edit: dropEntry(remoteRelationships), argsOf: toNode },
  remote_schema_remote_relationship: {
    edit: inSequence(dropEntry(typeRelationships), dropEmptyTypes),
    argsOf: toNode,
  },
}

function toNode(definition: unknown): Node {
  return isRecord(definition) ? definition : {}
}

function relationshipArgs(definition: unknown): Node {
  const { table = null, name = null } = toNode(definition)
  return { table, relationship: name }
}

/**
 * Removes a saved query and its REST endpoints. If its collection is then empty, removes the collection, too, also from the allow
 * list.
 *
 * @param subject the saved query's name in the inconsistency (see `savedQueryName`)
 */
function removeSavedQuery(document: MetadataDocument, subject: string) {
  const isOther = (collection: unknown, query: unknown) =>
    savedQueryName(collection, query) !== subject
  keepEntries(document, 'rest_endpoints', ({ definition }) => {
    const { collection_name, query_name } = toNode(toNode(definition).query)
    return isOther(collection_name, query_name)
  })
  keepEntries(document, 'query_collections', (collection) => {
    const definition = { ...toNode(collection.definition) }
    collection.definition = definition
    const before = entriesOf(definition, 'queries').length
    const after = keepEntries(definition, 'queries', ({ name }) => isOther(collection.name, name))
    if (after === before) return true
    if (after === 0)
      keepEntries(document, 'allowlist', (entry) => entry.collection !== collection.name)
    return after > 0
  })
}

/** Keeps some entries of a list. Returns their number. */
function keepEntries(owner: Node, list: string, shouldKeep: (entry: Node) => boolean): number {
  editEntries({ owner, list, keyOf: keyedBy('name') }, (entries) => entries.filter(shouldKeep))
  return entriesOf(owner, list).length
}
