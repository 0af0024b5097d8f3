import { z } from 'zod'
import {
  type Document,
  edit,
  find,
  has,
  named,
  nodesOf,
  QualifiedName,
  sourceOf,
  tableOf,
} from '../document/document.ts'
import type { Place } from '../document/node.ts'
import { parseArgs } from '../document/parse-args.ts'
import {
  Args,
  actions,
  allowlist,
  collections,
  functions,
  inheritedRoles,
  inTable,
  type Locate,
  tables,
} from '../document/places.ts'
import { refuseEntry } from '../document/refusals.ts'
import { EngineError } from '../errors.ts'
import { quotedList } from '../json/quoted-list.ts'
import { isRecord } from '../json/record.ts'
import { TrackedFunction } from '../metadata/functions.ts'
import { InheritedRole } from '../metadata/metadata.ts'
import { Table } from '../metadata/tables.ts'
import { shortKey } from '../postgres/catalog.ts'
import { ADMIN } from '../session/session.ts'

/** Changes a copy of the document as a command's arguments say. */
export type DocumentEdit = (document: Document, args: unknown) => void

/** A part of a tracked table's metadata: its configuration, or whether it is an enum. */
export function setTable(field: string): DocumentEdit {
  return (document, args) => {
    const table = tableOf(document, args)
    parseArgs(Table, args)
    table[field] = parseArgs(Args, args)[field]
  }
}

/** A tracked function's configuration. */
export function setFunction(document: Document, args: unknown) {
  const { function: key, configuration } = parseArgs(Customization, args)
  const tracked = find(functions(document, args), key)
  parseArgs(TrackedFunction, args)
  tracked.configuration = configuration
}

const Customization = z.object({
  function: QualifiedName,
  configuration: z.record(z.string(), z.unknown()),
})

/** The comment of a permission of any kind. */
export function setPermissionComment(document: Document, args: unknown) {
  const { role, type, comment } = parseArgs(
    z.object({ role: z.string(), type: z.string(), comment: z.string().nullish() }),
    args,
  )
  find(inTable(`${type}_permissions`, 'role')(document, args), role).comment = comment
}

const KINDS = ['object_relationships', 'array_relationships'] as const

/**
 * The list that contains a relationship:
 * commands do not say whether it is an object or an array relationship.
 */
function relationship(document: Document, args: unknown, name: string): Place {
  const owner = tableOf(document, args)
  const places = KINDS.map((list) => ({ owner, list, keyOf: named('name') }))
  const place = places.find((candidate) => has(candidate, name))
  if (place) return place
  const message = `relationship "${name}" does not exist`
  throw new EngineError('not-exists', message, { path: '$.args' })
}

/** Removes a relationship of either kind. */
export function dropRelationship(document: Document, args: unknown) {
  const { relationship: name } = parseArgs(z.object({ relationship: z.string() }), args)
  const place = relationship(document, args, name)
  edit(place, (present) => present.filter((entry) => entry.name !== name))
}

const Comment = z.object({ relationship: z.string(), comment: z.string().nullish() })

/** Sets a relationship's comment, or removes it if none is given. */
export function setRelationshipComment(document: Document, args: unknown) {
  const { relationship: name, comment } = parseArgs(Comment, args)
  find(relationship(document, args, name), name).comment = comment
}

/** Renames a relationship. */
export function renameRelationship(document: Document, args: unknown) {
  const { name, new_name } = parseArgs(z.object({ name: z.string(), new_name: z.string() }), args)
  find(relationship(document, args, name), name).name = new_name
}

const Qualified = z.looseObject({
  table: QualifiedName.optional(),
  function: QualifiedName.optional(),
})

/** Makes an edit also accept a table's or function's name in the place of its arguments. */
export function orNamed(kind: 'table' | 'function', edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const whole = isRecord(args) && kind in args
    edit(document, whole ? args : { [kind]: args })
  }
}

/** Makes an edit refuse a table with the name of a tracked function, and the reverse. @throws not-supported */
export function unlike(
  others: Locate,
  kind: 'table' | 'function',
  edit: DocumentEdit,
): DocumentEdit {
  return (document, args) => {
    edit(document, args)
    const given = parseArgs(Qualified, args)
    const key = given.table ?? given.function ?? ''
    if (!has(others(document, args), key)) return
    const message = `${kind} with name "${shortKey(key)}" already exists`
    throw new EngineError('not-supported', message, { path: '$.args' })
  }
}

/**
 * Makes an edit require that its table is tracked; the error's path is that of the table's name.
 *
 * @throws not-exists
 */
export function ofTable(edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const { table } = parseArgs(z.object({ table: QualifiedName }), args)
    const tracked = tables(document, args)
    if (!has(tracked, table)) {
      const { code, message } = refuseEntry('missing', tracked, table)
      throw new EngineError(code, message, { path: '$.args.table' })
    }
    edit(document, args)
  }
}

/** Makes an edit refuse permissions for admin, who may do everything anyway. @throws already-exists */
export function notForAdmin(locate: Locate, edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const { role } = parseArgs(z.object({ role: z.string() }), args)
    if (role === ADMIN) throw refuseEntry('there', locate(document, args), role)
    edit(document, args)
  }
}

/** Makes an edit refuse logical models that are defined inside native queries. @throws not-supported */
export function ofLogicalModel(edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const { type } = parseArgs(z.object({ type: z.string().default('logical_model') }), args)
    if (type !== 'logical_model')
      throw new EngineError('not-supported', `the logical model of a ${type}`, {
        path: '$.args.type',
      })
    edit(document, args)
  }
}

/** Removes a logical model, unless a native query returns it. @throws constraint-violation */
export function untrackLogicalModel(drop: DocumentEdit): DocumentEdit {
  return (document, args) => {
    drop(document, args)
    const { name } = parseArgs(z.object({ name: z.string() }), args)
    const queries = nodesOf(sourceOf(document, args), 'native_queries')
    const user = queries.find(({ returns }) => returns === name)
    if (!user) return
    const message = `Logical model "${name}" still being used by native query "${user.root_field_name}".`
    throw new EngineError('constraint-violation', message, { path: '$.args' })
  }
}

/** Adds an inherited role, or replaces its parents. @throws invalid-params */
export function addInheritedRole(document: Document, args: unknown) {
  const role = parseArgs(InheritedRole, args)
  if (role.role_set.includes(role.role_name)) {
    const message = 'an inherited role name cannot be in the role combination'
    throw new EngineError('invalid-params', message, { path: '$.args' })
  }
  edit(inheritedRoles(document, args), (present) => [
    ...present.filter(({ role_name }) => role_name !== role.role_name),
    role,
  ])
}

const NewCollection = z.object({
  definition: z.object({ queries: z.array(z.object({ name: z.string() })) }),
})

/** Makes an edit refuse a collection in which two queries have one name. @throws not-supported */
export function ofDistinctQueries(edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    const { definition } = parseArgs(NewCollection, args)
    const names = definition.queries.map(({ name }) => name)
    const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i))
    if (twice.size > 0) {
      const message = `found duplicate query names ${quotedList(twice)}`
      throw new EngineError('not-supported', message, { path: '$.args.definition.queries' })
    }
    edit(document, args)
  }
}

const OfCollection = z.object({ collection: z.string(), cascade: z.boolean().nullish() })

/** Makes an edit require that its collection exists. @throws not-exists */
export function ofCollection(edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    requireCollection(document, args)
    edit(document, args)
  }
}

/** Removes a collection; with `cascade`, also from the allow list. @throws dependency-error */
export function dropCollection(document: Document, args: unknown) {
  const name = requireCollection(document, args)
  const listed = allowlist(document, args)
  if (has(listed, name) && !parseArgs(OfCollection, args).cascade) {
    const message = `query collection with name "${name}" is present in the allowlist; cannot proceed to drop. please use cascade to confirm you wish to drop it from the allowlist as well`
    throw new EngineError('dependency-error', message, { path: '$.args.collection' })
  }
  edit(listed, (present) => present.filter(({ collection }) => collection !== name))
  edit(collections(document, args), (present) => present.filter((entry) => entry.name !== name))
}

const Renaming = z.object({ name: z.string(), new_name: z.string() })

const Endpoints = z.object({
  rest_endpoints: z
    .array(
      z.looseObject({
        definition: z.looseObject({ query: z.looseObject({ collection_name: z.string() }) }),
      }),
    )
    .optional(),
})

/** Renames a collection, also on the allow list and in REST endpoints. @throws already-exists */
export function renameCollection(document: Document, args: unknown) {
  const { name, new_name } = parseArgs(Renaming, args)
  const place = collections(document, args)
  const collection = find(place, name)
  if (has(place, new_name)) {
    const message = `query collection with name "${new_name}" already exists`
    throw new EngineError('already-exists', message, { path: '$.args.new_name' })
  }
  collection.name = new_name
  const listed = allowlist(document, args)
  if (has(listed, name)) find(listed, name).collection = new_name
  const { rest_endpoints = [] } = parseArgs(Endpoints, document)
  for (const { definition } of rest_endpoints)
    if (definition.query.collection_name === name) definition.query.collection_name = new_name
  if (rest_endpoints.length > 0) document.rest_endpoints = rest_endpoints
}

function requireCollection(document: Document, args: unknown): string {
  const { collection } = parseArgs(OfCollection, args)
  if (has(collections(document, args), collection)) return collection
  const message = `query collection with name "${collection}" does not exist`
  throw new EngineError('not-exists', message, { path: '$.args.collection' })
}

/** Replaces an action's definition and comment; its permissions stay. */
export function updateAction(document: Document, args: unknown) {
  const { name, definition, comment } = parseArgs(
    z.object({ name: z.string(), definition: Args, comment: z.unknown().optional() }),
    args,
  )
  const action = find(actions(document, args), name)
  const given = Object.entries(definition).filter(([, value]) => value !== null)
  action.definition = Object.fromEntries(given)
  if (comment == null) delete action.comment
  else action.comment = comment
}

/** Replaces one part of the document by the arguments. */
export function setPart(part: string, schema: z.ZodType = Args): DocumentEdit {
  return (document, args) => {
    parseArgs(schema, args)
    document[part] = parseArgs(Args, args)
  }
}

/** Removes one part of the document. */
export function removePart(part: string): DocumentEdit {
  return (document) => {
    delete document[part]
  }
}
