import { z } from 'zod'
import { EngineError } from '../../errors.ts'
import { shortKey } from '../../postgres/catalog.ts'
import { entriesOf, findEntry, hasEntry } from './entries.ts'
import { keyedBy, keyedByQualifiedName, QualifiedKey } from './keys.ts'
import type { MetadataDocument } from './metadata-document.ts'
import type { Node, Place } from './node.ts'
import { parseArgs } from './parse-args.ts'

/** Finds the list in a document that a command changes. */
export type Locate = (document: MetadataDocument, args: unknown) => Place

/** Arguments of a command, of any shape. */
export const Args = z.looseObject({})

/** The sources. */
export const sources = topLevelList('sources', 'name')
/** The actions. */
export const actions = topLevelList('actions', 'name')
/** The query collections. */
export const queryCollections = topLevelList('query_collections', 'name')
/** The allow list: the collections of allowed queries. */
export const allowList = topLevelList('allowlist', 'collection')
/** The REST endpoints. */
export const restEndpoints = topLevelList('rest_endpoints', 'name')
/** The cron triggers. */
export const cronTriggers = topLevelList('cron_triggers', 'name')
/** The inherited roles. */
export const inheritedRoles = topLevelList('inherited_roles', 'role_name')
/** The remote schemas. */
export const remoteSchemas = topLevelList('remote_schemas', 'name')
/** The tracked tables of a source. */
export const trackedTables = listInSource('tables', keyedByQualifiedName('table'))
/** The tracked functions of a source. */
export const trackedFunctions = listInSource('functions', keyedByQualifiedName('function'))
/** The native queries of a source. */
export const nativeQueries = listInSource('native_queries', keyedBy('root_field_name'))
/** The logical models of a source. */
export const logicalModels = listInSource('logical_models', keyedBy('name'))
/** The object relationships of a table. */
export const objectRelationships = listInTable('object_relationships', 'name')
/** The array relationships of a table. */
export const arrayRelationships = listInTable('array_relationships', 'name')
/** The computed fields of a table. */
export const computedFields = listInTable('computed_fields', 'name')
/** The remote relationships of a table. */
export const remoteRelationships = listInTable('remote_relationships', 'name')
/** The event triggers of a table. */
export const eventTriggers = listInTable('event_triggers', 'name')

/** The permissions of a table of one kind: `select`, `insert`, `update` or `delete`. */
export function tablePermissions(kind: string): Locate {
  return listInTable(`${kind}_permissions`, 'role')
}

function topLevelList(list: string, field: string): Locate {
  return (document) => ({ owner: document, list, keyOf: keyedBy(field) })
}

/** Locates a list in the metadata of the source that the command names. */
function listInSource(list: string, keyOf: (entry: Node) => string): Locate {
  return (document, args) => ({
    owner: findSource(document, args),
    list,
    keyOf,
    source: sourceNameIn(args),
  })
}

const SourceArgs = z.object({ source: z.string().default('default') })

/** Returns the name of a command's source; default: `default`. */
export function sourceNameIn(args: unknown): string {
  return parseArgs(SourceArgs, args).source
}

/** Finds the source that a command names. @throws not-exists */
export function findSource(document: MetadataDocument, args: unknown): Node {
  return findEntry(sources(document, args), sourceNameIn(args))
}

/** Locates a list in the metadata of the table that the command names. */
function listInTable(list: string, field: string): Locate {
  return (document, args) => {
    const owner = findTable(document, args)
    return {
      owner,
      list,
      keyOf: keyedBy(field),
      of: shortKey(keyedByQualifiedName('table')(owner)),
    }
  }
}

const TableArgs = z.object({ table: QualifiedKey })

/** Finds the tracked table that a command names. @throws not-exists */
export function findTable(document: MetadataDocument, args: unknown): Node {
  const { table } = parseArgs(TableArgs, args)
  return findEntry(trackedTables(document, args), table)
}

/** The permissions of the function that the command names. */
export function functionPermissions(document: MetadataDocument, args: unknown): Place {
  const { function: key } = parseArgs(z.object({ function: QualifiedKey }), args)
  const owner = findEntry(trackedFunctions(document, args), key)
  const of = shortKey(key)
  const source = sourceNameIn(args)
  const label = 'function_permissions'
  return { owner, list: 'permissions', keyOf: keyedBy('role'), of, source, label }
}

/** The select permissions of the logical model that the command names. */
export function logicalModelPermissions(document: MetadataDocument, args: unknown): Place {
  const { name } = parseArgs(z.object({ name: z.string() }), args)
  const owner = findEntry(logicalModels(document, args), name)
  return { owner, list: 'select_permissions', keyOf: keyedBy('role'), of: name }
}

/** The permissions of the action that the command names. */
export function actionPermissions(document: MetadataDocument, args: unknown): Place {
  const { action } = parseArgs(z.object({ action: z.string() }), args)
  const owner = findEntry(actions(document, args), action)
  return { owner, list: 'permissions', keyOf: keyedBy('role'), of: action }
}

/** The queries of a collection. Their key is `name` in the document, and `query_name` in commands. */
export function collectionQueries(document: MetadataDocument, args: unknown): Place {
  const { collection_name } = parseArgs(z.object({ collection_name: z.string() }), args)
  const collection = findEntry(queryCollections(document, args), collection_name)
  const definition = parseArgs(Args, collection.definition)
  collection.definition = definition
  const keyOf = (entry: Node) => String(entry.query_name ?? entry.name)
  return { owner: definition, list: 'queries', keyOf, of: collection_name }
}

const RELATIONSHIP_LISTS = ['object_relationships', 'array_relationships'] as const

/**
 * Finds the list that contains a relationship. Commands do not say whether it is an object or array relationship.
 *
 * @throws not-exists
 */
export function findRelationshipPlace(
  document: MetadataDocument,
  args: unknown,
  name: string,
): Place {
  const owner = findTable(document, args)
  const places = RELATIONSHIP_LISTS.map((list) => ({ owner, list, keyOf: keyedBy('name') }))
  const place = places.find((candidate) => hasEntry(candidate, name))
  if (place) return place
  const message = `relationship "${name}" does not exist`
  throw new EngineError('not-exists', message, { path: '$.args' })
}

/** Finds the list that contains an event trigger, because commands need not name its table. Returns undefined if there is none. */
export function findEventTriggerPlace(
  document: MetadataDocument,
  args: unknown,
  name: string,
): Place | undefined {
  const source = findSource(document, args)
  const tables = entriesOf(source, 'tables')
  source.tables = tables
  return tables.map(eventTriggersOf).find((place) => hasEntry(place, name))
}

/** The event triggers of a table. */
export function eventTriggersOf(owner: Node): Place {
  return { owner, list: 'event_triggers', keyOf: keyedBy('name') }
}
