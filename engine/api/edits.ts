import { EngineError } from '../errors.ts'
import {
  type DocumentEdit,
  dropCollection,
  dropRelationship,
  ofCollection,
  renameRelationship,
  setCustomTypes,
  setFunction,
  setPermissionComment,
  setTable,
  updateAction,
} from './changes.ts'
import { parseArgs } from './command.ts'
import { edit, find, type Node, named } from './document.ts'
import {
  Args,
  actions,
  allowlist,
  collections,
  functions,
  inAction,
  inFunction,
  inSource,
  inTable,
  type Locate,
  queriesOf,
  root,
  tables,
} from './places.ts'

/** The commands that change one entry of a list, by `type`. */
export const documentEdits: ReadonlyMap<string, DocumentEdit> = new Map<string, DocumentEdit>([
  ...entries('pg_add_source', 'pg_drop_source', root('sources', 'name'), source),
  ...entries(
    'pg_track_table',
    'pg_untrack_table',
    tables,
    only('table', 'configuration', 'is_enum'),
  ),
  ['pg_set_table_customization', setTable('configuration')],
  ['pg_set_table_is_enum', setTable('is_enum')],
  ...entries(
    'pg_track_function',
    'pg_untrack_function',
    functions,
    only('function', 'configuration', 'comment'),
  ),
  ['pg_set_function_customization', setFunction],
  ...['select', 'insert', 'update', 'delete'].flatMap((kind) =>
    entries(
      `pg_create_${kind}_permission`,
      `pg_drop_${kind}_permission`,
      inTable(`${kind}_permissions`, 'role'),
      only('role', 'permission', 'comment'),
    ),
  ),
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
  ...entries(
    'pg_add_computed_field',
    'pg_drop_computed_field',
    inTable('computed_fields', 'name'),
    only('name', 'definition', 'comment'),
  ),
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
  ...entries(
    'pg_track_logical_model',
    'pg_untrack_logical_model',
    inSource('logical_models', named('name')),
    except('source'),
  ),
  ...entries(
    'pg_create_event_trigger',
    'pg_delete_event_trigger',
    inTable('event_triggers', 'name'),
    eventTrigger,
  ),
  ...entries('create_action', 'drop_action', actions, only('name', 'definition', 'comment')),
  ['update_action', updateAction],
  ...entries(
    'create_action_permission',
    'drop_action_permission',
    inAction('permissions', 'role'),
    only('role', 'comment'),
  ),
  ['set_custom_types', setCustomTypes],
  ['create_query_collection', add(collections, only('name', 'definition', 'comment'))],
  ['drop_query_collection', dropCollection],
  ...entries(
    'add_query_to_collection',
    'drop_query_from_collection',
    queriesOf,
    only('name', 'query'),
  ),
  ['add_collection_to_allowlist', ofCollection(add(allowlist, only('collection', 'scope')))],
  ['drop_collection_from_allowlist', drop(allowlist)],
  ['update_scope_of_collection_in_allowlist', change(allowlist, only('collection', 'scope'))],
  ...entries(
    'create_rest_endpoint',
    'drop_rest_endpoint',
    root('rest_endpoints', 'name'),
    only('name', 'url', 'methods', 'definition', 'comment'),
  ),
  ...entries(
    'create_cron_trigger',
    'delete_cron_trigger',
    root('cron_triggers', 'name'),
    except('replace'),
  ),
  ['remove_remote_schema', drop(root('remote_schemas', 'name'))],
  ...entries(
    'add_inherited_role',
    'drop_inherited_role',
    root('inherited_roles', 'role_name'),
    only('role_name', 'role_set'),
  ),
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
    const key = place.keyOf(entry)
    edit(place, (present) => {
      const others = present.filter((candidate) => place.keyOf(candidate) !== key)
      if (others.length < present.length && given.replace !== true) throw exists(place.list, key)
      return [...others, entry]
    })
  }
}

function drop(locate: Locate): DocumentEdit {
  return (document, args) => {
    const place = locate(document, args)
    const key = place.keyOf(parseArgs(Args, args))
    find(place, key)
    edit(place, (present) => present.filter((entry) => place.keyOf(entry) !== key))
  }
}

function change(locate: Locate, entryOf: (args: Node) => Node): DocumentEdit {
  return (document, args) => {
    const entry = entryOf(parseArgs(Args, args))
    const place = locate(document, args)
    Object.assign(find(place, place.keyOf(entry)), entry)
  }
}

/** The entry is these arguments. */
function only(...fields: readonly string[]): (args: Node) => Node {
  return (args) =>
    Object.fromEntries(
      fields.flatMap((field) => (args[field] == null ? [] : [[field, args[field]]])),
    )
}

/** The entry is all arguments but these. */
function except(...fields: readonly string[]): (args: Node) => Node {
  return (args) =>
    Object.fromEntries(Object.entries(args).filter(([field]) => !fields.includes(field)))
}

function source({ name, kind, configuration, customization }: Node): Node {
  const given = { name, kind: kind ?? 'postgres', tables: [], configuration, customization }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null))
}

/** The command has the operations beside the webhook, the document has them in `definition`. */
function eventTrigger(args: Node): Node {
  const { insert, update, delete: deletion, enable_manual = false, ...rest } = args
  const operations = { enable_manual, insert, update, delete: deletion }
  const definition = Object.fromEntries(
    Object.entries(operations).filter(([, value]) => value != null),
  )
  return { ...except('table', 'source', 'replace')(rest), definition }
}

function exists(list: string, key: string): EngineError {
  const code = TRACKED.has(list) ? 'already-tracked' : 'already-exists'
  return new EngineError(code, `${list}: "${key}" already exists`, { path: '$.args' })
}

const TRACKED: ReadonlySet<string> = new Set(['tables', 'functions'])
