import { z } from 'zod'
import { EngineError } from '../errors.ts'
import { parseArgs } from './command.ts'
import {
  type Document,
  edit,
  find,
  has,
  type Node,
  named,
  type Place,
  QualifiedName,
  qualified,
  sourceOf,
  tableOf,
} from './document.ts'

/** Changes a copy of the document as a command's arguments say. */
export type DocumentEdit = (document: Document, args: unknown) => void

type Locate = (document: Document, args: unknown) => Place

const actions = root('actions', 'name')
const collections = root('query_collections', 'name')
const allowlist = root('allowlist', 'collection')
const tables = inSource('tables', qualified('table'))
const functions = inSource('functions', qualified('function'))

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
  ...entries(
    'create_query_collection',
    'drop_query_collection',
    collections,
    only('name', 'definition', 'comment'),
  ),
  ...entries(
    'add_query_to_collection',
    'drop_query_from_collection',
    queriesOf,
    only('name', 'query'),
  ),
  ...entries(
    'add_collection_to_allowlist',
    'drop_collection_from_allowlist',
    allowlist,
    only('collection', 'scope'),
  ),
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

const Args = z.record(z.string(), z.unknown())

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

function root(list: string, field: string): Locate {
  return (document) => ({ owner: document, list, keyOf: named(field) })
}

function inSource(list: string, keyOf: (entry: Node) => string): Locate {
  return (document, args) => ({ owner: sourceOf(document, args), list, keyOf })
}

function inTable(list: string, field: string): Locate {
  return (document, args) => ({ owner: tableOf(document, args), list, keyOf: named(field) })
}

function inFunction(list: string, field: string): Locate {
  return (document, args) => {
    const key = parseArgs(z.object({ function: QualifiedName }), args).function
    return { owner: find(functions(document, args), key), list, keyOf: named(field) }
  }
}

function inAction(list: string, field: string): Locate {
  return (document, args) => {
    const { action } = parseArgs(z.object({ action: z.string() }), args)
    return { owner: find(actions(document, args), action), list, keyOf: named(field) }
  }
}

/** The queries of a collection are called `name` in the document, `query_name` in the commands. */
function queriesOf(document: Document, args: unknown): Place {
  const { collection_name } = parseArgs(z.object({ collection_name: z.string() }), args)
  const collection = find(collections(document, args), collection_name)
  const definition = parseArgs(Args, collection.definition)
  collection.definition = definition
  const keyOf = (entry: Node) => String(entry.query_name ?? entry.name)
  return { owner: definition, list: 'queries', keyOf }
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

function setTable(field: string): DocumentEdit {
  return (document, args) => {
    tableOf(document, args)[field] = parseArgs(Args, args)[field]
  }
}

function setFunction(document: Document, args: unknown) {
  const { function: key } = parseArgs(z.object({ function: QualifiedName }), args)
  find(functions(document, args), key).configuration = parseArgs(Args, args).configuration
}

function setPermissionComment(document: Document, args: unknown) {
  const { role, type, comment } = parseArgs(
    z.object({ role: z.string(), type: z.string(), comment: z.string().nullish() }),
    args,
  )
  find(inTable(`${type}_permissions`, 'role')(document, args), role).comment = comment
}

const KINDS = ['object_relationships', 'array_relationships'] as const

/** Where a relationship is; the commands do not say of which kind it is. */
function relationship(document: Document, args: unknown, name: string): Place {
  const owner = tableOf(document, args)
  const places = KINDS.map((list) => ({ owner, list, keyOf: named('name') }))
  const place = places.find((candidate) => has(candidate, name))
  if (place) return place
  const message = `relationship "${name}" does not exist`
  throw new EngineError('not-exists', message, { path: '$.args' })
}

function dropRelationship(document: Document, args: unknown) {
  const { relationship: name } = parseArgs(z.object({ relationship: z.string() }), args)
  const place = relationship(document, args, name)
  edit(place, (present) => present.filter((entry) => entry.name !== name))
}

function renameRelationship(document: Document, args: unknown) {
  const { name, new_name } = parseArgs(z.object({ name: z.string(), new_name: z.string() }), args)
  find(relationship(document, args, name), name).name = new_name
}

/** The permissions of the action stay. */
function updateAction(document: Document, args: unknown) {
  const { name, definition, comment } = parseArgs(
    z.object({ name: z.string(), definition: Args, comment: z.unknown().optional() }),
    args,
  )
  const action = find(actions(document, args), name)
  const given = Object.entries(definition).filter(([, value]) => value !== null)
  Object.assign(
    action,
    { definition: Object.fromEntries(given) },
    comment == null ? {} : { comment },
  )
}

function setCustomTypes(document: Document, args: unknown) {
  document.custom_types = parseArgs(Args, args)
}

function exists(list: string, key: string): EngineError {
  const code = TRACKED.has(list) ? 'already-tracked' : 'already-exists'
  return new EngineError(code, `${list}: "${key}" already exists`, { path: '$.args' })
}

const TRACKED: ReadonlySet<string> = new Set(['tables', 'functions'])
