import { z } from 'zod'
import { EngineError } from '../errors.ts'
import { parseArgs } from './command.ts'
import {
  type Document,
  edit,
  find,
  has,
  named,
  type Place,
  QualifiedName,
  tableOf,
} from './document.ts'
import { Args, actions, allowlist, collections, functions, inTable } from './places.ts'

/** Changes a copy of the document as a command's arguments say. */
export type DocumentEdit = (document: Document, args: unknown) => void

/** A part of a tracked table's metadata: its configuration, or whether it is an enum. */
export function setTable(field: string): DocumentEdit {
  return (document, args) => {
    tableOf(document, args)[field] = parseArgs(Args, args)[field]
  }
}

/** A tracked function's configuration. */
export function setFunction(document: Document, args: unknown) {
  const { function: key } = parseArgs(z.object({ function: QualifiedName }), args)
  find(functions(document, args), key).configuration = parseArgs(Args, args).configuration
}

/** The comment of a permission of any kind. */
export function setPermissionComment(document: Document, args: unknown) {
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

/** Takes a relationship away, of whichever kind it is. */
export function dropRelationship(document: Document, args: unknown) {
  const { relationship: name } = parseArgs(z.object({ relationship: z.string() }), args)
  const place = relationship(document, args, name)
  edit(place, (present) => present.filter((entry) => entry.name !== name))
}

/** Gives a relationship another name. */
export function renameRelationship(document: Document, args: unknown) {
  const { name, new_name } = parseArgs(z.object({ name: z.string(), new_name: z.string() }), args)
  find(relationship(document, args, name), name).name = new_name
}

const OfCollection = z.object({ collection: z.string(), cascade: z.boolean().nullish() })

/** The same edit, of a collection that must be there. @throws not-exists */
export function ofCollection(edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    requireCollection(document, args)
    edit(document, args)
  }
}

/** Takes a collection away, with `cascade` also off the allow list. @throws dependency-error */
export function dropCollection(document: Document, args: unknown) {
  const name = requireCollection(document, args)
  const listed = allowlist(document, args)
  if (has(listed, name) && !parseArgs(OfCollection, args).cascade) {
    const message = `query collection with name "${name}" is present in the allowlist; cannot proceed to drop. please use cascade to confirm`
    throw new EngineError('dependency-error', message, { path: '$.args.collection' })
  }
  edit(listed, (present) => present.filter(({ collection }) => collection !== name))
  edit(collections(document, args), (present) => present.filter((entry) => entry.name !== name))
}

function requireCollection(document: Document, args: unknown): string {
  const { collection } = parseArgs(OfCollection, args)
  if (has(collections(document, args), collection)) return collection
  const message = `query collection with name "${collection}" does not exist`
  throw new EngineError('not-exists', message, { path: '$.args.collection' })
}

/** Replaces what an action is; its permissions stay. */
export function updateAction(document: Document, args: unknown) {
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

/** Replaces all types of the actions. */
export function setCustomTypes(document: Document, args: unknown) {
  document.custom_types = parseArgs(Args, args)
}
