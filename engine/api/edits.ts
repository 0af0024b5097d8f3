import { z } from 'zod'
import { edit, find, named } from '../document/document.ts'
import type { Node, Place } from '../document/node.ts'
import { parseArgs } from '../document/parse-args.ts'
import {
  Args,
  actions,
  allowlist,
  collections,
  functions,
  inAction,
  inFunction,
  inheritedRoles,
  inLogicalModel,
  inSource,
  inTable,
  type Locate,
  logicalModels,
  queriesOf,
  root,
  tables,
} from '../document/places.ts'
import { refuseEntry } from '../document/refusals.ts'
import { own } from '../json/own.ts'
import { CustomTypes } from '../metadata/actions.ts'
import { CronTrigger } from '../metadata/cron-triggers.ts'
import { ENTRIES, Introspection } from '../metadata/metadata.ts'
import { SavedQuery } from '../metadata/saved-queries.ts'
import { MetadataName } from '../metadata/shared.ts'
import { isSchedule } from '../model/cron-triggers.ts'
import {
  addInheritedRole,
  type DocumentEdit,
  dropCollection,
  dropRelationship,
  notForAdmin,
  ofCollection,
  ofDistinctQueries,
  ofLogicalModel,
  ofTable,
  orNamed,
  removePart,
  renameCollection,
  renameRelationship,
  setFunction,
  setPart,
  setPermissionComment,
  setRelationshipComment,
  setTable,
  unlike,
  untrackLogicalModel,
  updateAction,
} from './changes.ts'
import {
  asNewTrigger,
  deleteEventTrigger,
  eventTriggerEntry,
  toggleCleanup,
} from './event-trigger-edits.ts'
import { transforming } from './transforms.ts'

const computedFields = inTable('computed_fields', 'name')
const cronTriggers = root('cron_triggers', 'name')
const modelPermissions = inLogicalModel('select_permissions', 'role')
const PERMISSION = only('role', 'permission', 'comment')

/** The commands that change one entry of a list, by `type`. */
export const documentEdits: ReadonlyMap<string, DocumentEdit> = new Map<string, DocumentEdit>([
  ...entries('pg_add_source', 'pg_drop_source', root('sources', 'name'), source),
  [
    'pg_track_table',
    orNamed(
      'table',
      unlike(functions, 'function', add(tables, only('table', 'configuration', 'is_enum'))),
    ),
  ],
  ['pg_untrack_table', drop(tables)],
  ['pg_set_table_customization', setTable('configuration')],
  ['pg_set_table_is_enum', setTable('is_enum')],
  [
    'pg_track_function',
    orNamed(
      'function',
      unlike(tables, 'table', add(functions, only('function', 'configuration', 'comment'))),
    ),
  ],
  ['pg_untrack_function', orNamed('function', drop(functions))],
  ['pg_set_function_customization', setFunction],
  ...['select', 'insert', 'update', 'delete'].flatMap((kind): [string, DocumentEdit][] => {
    const permissions = inTable(`${kind}_permissions`, 'role')
    return [
      [`pg_create_${kind}_permission`, notForAdmin(permissions, add(permissions, PERMISSION))],
      [`pg_drop_${kind}_permission`, drop(permissions)],
    ]
  }),
  ['pg_set_permission_comment', setPermissionComment],
  [
    'pg_create_object_relationship',
    add(inTable('object_relationships', 'name'), only('name', 'using', 'comment')),
  ],
  [
    'pg_create_array_relationship',
    add(inTable('array_relationships', 'name'), only('name', 'using', 'comment')),
  ],
  ['pg_drop_relationship', dropRelationship],
  ['pg_rename_relationship', renameRelationship],
  ['pg_set_relationship_comment', setRelationshipComment],
  ['pg_add_computed_field', ofTable(add(computedFields, only('name', 'definition', 'comment')))],
  ['pg_drop_computed_field', ofTable(drop(computedFields))],
  ...entries(
    'pg_create_function_permission',
    'pg_drop_function_permission',
    inFunction('permissions', 'role'),
    only('role'),
  ),
  ...entries(
    'pg_track_native_query',
    'pg_untrack_native_query',
    inSource('native_queries', named('root_field_name')),
    except('source'),
  ),
  ['pg_track_logical_model', add(logicalModels, except('source'))],
  ['pg_untrack_logical_model', untrackLogicalModel(drop(logicalModels))],
  ['pg_create_logical_model_select_permission', ofLogicalModel(put(modelPermissions, PERMISSION))],
  ['pg_drop_logical_model_select_permission', ofLogicalModel(remove(modelPermissions))],
  [
    'pg_create_event_trigger',
    transforming(asNewTrigger(add(inTable('event_triggers', 'name'), eventTriggerEntry))),
  ],
  ['pg_delete_event_trigger', deleteEventTrigger],
  ['pause_event_trigger_cleanups', toggleCleanup(true)],
  ['resume_event_trigger_cleanups', toggleCleanup(false)],
  ['create_action', transforming(add(actions, only('name', 'definition', 'comment')))],
  ['update_action', transforming(updateAction)],
  ['drop_action', drop(actions)],
  ...entries(
    'create_action_permission',
    'drop_action_permission',
    inAction('permissions', 'role'),
    only('role', 'comment'),
  ),
  ['set_custom_types', setPart('custom_types', CustomTypes)],
  [
    'set_graphql_schema_introspection_options',
    setPart('graphql_schema_introspection', Introspection),
  ],
  ['set_api_limits', setPart('api_limits')],
  ['remove_api_limits', removePart('api_limits')],
  ['set_metrics_config', setPart('metrics_config')],
  ['remove_metrics_config', removePart('metrics_config')],
  [
    'create_query_collection',
    ofDistinctQueries(add(collections, only('name', 'definition', 'comment'))),
  ],
  ['drop_query_collection', dropCollection],
  ['rename_query_collection', renameCollection],
  ...entries('add_query_to_collection', 'drop_query_from_collection', queriesOf, newQuery),
  ['add_collection_to_allowlist', ofCollection(add(allowlist, only('collection', 'scope')))],
  ['drop_collection_from_allowlist', ofCollection(drop(allowlist))],
  ['update_scope_of_collection_in_allowlist', ofCollection(change(allowlist, newScope))],
  ...entries(
    'create_rest_endpoint',
    'drop_rest_endpoint',
    root('rest_endpoints', 'name'),
    only('name', 'url', 'methods', 'definition', 'comment'),
  ),
  ['create_cron_trigger', transforming(add(cronTriggers, newCronTrigger))],
  ['delete_cron_trigger', drop(cronTriggers)],
  ['remove_remote_schema', drop(root('remote_schemas', 'name'))],
  ['add_inherited_role', addInheritedRole],
  ['drop_inherited_role', drop(inheritedRoles)],
])

/** A pair of commands that add an entry and take it away. */
function entries(
  adding: string,
  dropping: string,
  locate: Locate,
  entryOf: (args: Node) => Node,
): [string, DocumentEdit][] {
  return [
    [adding, add(locate, entryOf)],
    [dropping, drop(locate)],
  ]
}

function add(locate: Locate, entryOf: (args: Node) => Node): DocumentEdit {
  return (document, args) => {
    const given = parseArgs(Args, args)
    const place = locate(document, args)
    const entry = entryOf(given)
    parseEntry(place, entry)
    const key = place.keyOf(entry)
    const replace = given.replace === true
    edit(place, (present) => {
      const isIt = (candidate: Node) => place.keyOf(candidate) === key
      const there = present.some(isIt)
      if (there !== replace) throw refuseEntry(there ? 'there' : 'missing', place, key)
      return there ? present.map((other) => (isIt(other) ? entry : other)) : [...present, entry]
    })
  }
}

function drop(locate: Locate): DocumentEdit {
  return (document, args) => {
    const place = locate(document, args)
    const key = place.keyOf(parseArgs(Args, args))
    find(place, key, 'gone')
    remove(locate)(document, args)
  }
}

/** Like `add`, but replaces an entry with the same key. */
function put(locate: Locate, entryOf: (args: Node) => Node): DocumentEdit {
  return (document, args) => {
    const place = locate(document, args)
    const entry = entryOf(parseArgs(Args, args))
    parseEntry(place, entry)
    const key = place.keyOf(entry)
    edit(place, (present) => [...present.filter((other) => place.keyOf(other) !== key), entry])
  }
}

/** Like `drop`, but the entry need not exist. */
function remove(locate: Locate): DocumentEdit {
  return (document, args) => {
    const place = locate(document, args)
    const key = place.keyOf(parseArgs(Args, args))
    edit(place, (present) => present.filter((entry) => place.keyOf(entry) !== key))
  }
}

function change(locate: Locate, entryOf: (args: Node) => Node): DocumentEdit {
  return (document, args) => {
    const entry = entryOf(parseArgs(Args, args))
    const place = locate(document, args)
    parseEntry(place, entry)
    Object.assign(find(place, place.keyOf(entry)), entry)
  }
}

function parseEntry({ list }: Place, entry: Node) {
  const schema = own(ENTRIES, list)
  if (schema) parseArgs(schema, entry)
}

/** Makes an entry of these arguments. */
function only(...fields: readonly string[]): (args: Node) => Node {
  return (args) =>
    Object.fromEntries(
      fields.flatMap((field) => (args[field] == null ? [] : [[field, args[field]]])),
    )
}

/** Makes an entry of all arguments but these. */
function except(...fields: readonly string[]): (args: Node) => Node {
  return (args) =>
    Object.fromEntries(Object.entries(args).filter(([field]) => !fields.includes(field)))
}

const NewQuery = z.object({ query_name: MetadataName, query: SavedQuery })

function newQuery(args: Node): Node {
  const { query_name, query } = parseArgs(NewQuery, args)
  return { name: query_name, query }
}

/** An allow-list entry with a new scope, which is required here. */
function newScope(args: Node): Node {
  const { collection, scope } = parseArgs(z.object({ scope: Args, collection: z.unknown() }), args)
  return { collection, scope }
}

/**
 * A new cron trigger: `include_in_metadata` is required,
 * and an invalid schedule is an error of the arguments.
 */
const NewCronTrigger = CronTrigger.extend({
  schedule: z.string().refine(isSchedule, {
    error: ({ input }) => `invalid cron schedule: ${JSON.stringify(input)}`,
  }),
  include_in_metadata: z.boolean(),
})

function newCronTrigger(args: Node): Node {
  parseArgs(NewCronTrigger, args)
  return except('replace')(args)
}

function source({ name, kind, configuration, customization }: Node): Node {
  const given = { name, kind: kind ?? 'postgres', tables: [], configuration, customization }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null))
}
