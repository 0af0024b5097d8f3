import { type Document, edit, named, nodesOf } from '../document/document.ts'
import type { Node } from '../document/node.ts'
import { isRecord } from '../json/record.ts'
import { type Inconsistency, identityOf } from '../model/inconsistency.ts'
import { SAVED_QUERY, savedQueryName } from '../schema/saved-queries.ts'
import { documentEdits } from './edits.ts'

/** A copy of the document without inconsistent objects; those that no command could drop stay. */
export function withoutInconsistent(document: Document, found: readonly Inconsistency[]): Document {
  const copy = structuredClone(document)
  const distinct = new Map(found.map((object) => [identityOf(object), object]))
  for (const { type, definition } of distinct.values()) {
    const drop = DROPS[type]
    if (drop) documentEdits.get(drop.by)?.(copy, drop.args(definition))
  }
  // Last, because this also removes endpoints, which may be inconsistent objects themselves.
  for (const { type, name } of distinct.values())
    if (type === SAVED_QUERY) dropSavedQuery(copy, name)
  return copy
}

/**
 * Removes a saved query with its REST endpoints, and a
 * collection that is empty then, also from the allow list.
 */
function dropSavedQuery(document: Document, subject: string) {
  const kept = (collection: unknown, query: unknown) =>
    savedQueryName(collection, query) !== subject
  filter(document, 'rest_endpoints', ({ definition }) => {
    const { collection_name, query_name } = itself(itself(definition).query)
    return kept(collection_name, query_name)
  })
  filter(document, 'query_collections', (collection) => {
    const definition = { ...itself(collection.definition) }
    collection.definition = definition
    const before = nodesOf(definition, 'queries').length
    const left = filter(definition, 'queries', ({ name }) => kept(collection.name, name))
    if (left === before) return true
    if (left === 0) filter(document, 'allowlist', (entry) => entry.collection !== collection.name)
    return left > 0
  })
}

/** Keeps some entries of a list; returns how many are left. */
function filter(owner: Node, list: string, keeps: (entry: Node) => boolean): number {
  edit({ owner, list, keyOf: named('name') }, (entries) => entries.filter(keeps))
  return nodesOf(owner, list).length
}

/** By the type of an object: the command that drops it, and its arguments. */
const DROPS: Readonly<Record<string, { by: string; args(definition: unknown): object }>> = {
  table: { by: 'pg_untrack_table', args: (table) => ({ table }) },
  function: { by: 'pg_untrack_function', args: (name) => ({ function: name }) },
  object_relation: { by: 'pg_drop_relationship', args: relationship },
  array_relation: { by: 'pg_drop_relationship', args: relationship },
  computed_field: { by: 'pg_drop_computed_field', args: itself },
  select_permission: { by: 'pg_drop_select_permission', args: itself },
  insert_permission: { by: 'pg_drop_insert_permission', args: itself },
  update_permission: { by: 'pg_drop_update_permission', args: itself },
  delete_permission: { by: 'pg_drop_delete_permission', args: itself },
  event_trigger: { by: 'pg_delete_event_trigger', args: itself },
  native_query: { by: 'pg_untrack_native_query', args: itself },
  logical_model: { by: 'pg_untrack_logical_model', args: itself },
  action: { by: 'drop_action', args: itself },
  custom_types: { by: 'set_custom_types', args: () => ({}) },
  cron_trigger: { by: 'delete_cron_trigger', args: itself },
  inherited_role: { by: 'drop_inherited_role', args: itself },
  rest_endpoint: { by: 'drop_rest_endpoint', args: itself },
  remote_schema: { by: 'remove_remote_schema', args: itself },
}

function itself(definition: unknown): Node {
  return isRecord(definition) ? definition : {}
}

function relationship(definition: unknown): object {
  const { table = null, name = null } = itself(definition)
  return { table, relationship: name }
}
