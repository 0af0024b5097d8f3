import { z } from 'zod'
import { shortKey } from '../postgres/catalog.ts'
import {
  type Document,
  find,
  named,
  QualifiedName,
  qualified,
  sourceOf,
  tableOf,
} from './document.ts'
import type { Node, Place } from './node.ts'
import { parseArgs } from './parse-args.ts'

/** Finds the list in a document that a command changes. */
export type Locate = (document: Document, args: unknown) => Place

/** Arguments of a command, of any shape. */
export const Args = z.looseObject({})

/** All actions. */
export const actions = root('actions', 'name')
/** All query collections. */
export const collections = root('query_collections', 'name')
/** The collections that are allowed. */
export const allowlist = root('allowlist', 'collection')
/** All inherited roles. */
export const inheritedRoles = root('inherited_roles', 'role_name')
/** The tracked tables of a source. */
export const tables = inSource('tables', qualified('table'))
/** The tracked functions of a source. */
export const functions = inSource('functions', qualified('function'))

/** The logical models of a source. */
export const logicalModels = inSource('logical_models', named('name'))

/** A list of the document itself. */
export function root(list: string, field: string): Locate {
  return (document) => ({ owner: document, list, keyOf: named(field) })
}

/** A list of the source that the command names. */
export function inSource(list: string, keyOf: (entry: Node) => string): Locate {
  return (document, args) => ({ owner: sourceOf(document, args), list, keyOf })
}

/** A list of the table that the command names. */
export function inTable(list: string, field: string): Locate {
  return (document, args) => {
    const owner = tableOf(document, args)
    return {
      owner,
      list,
      keyOf: named(field),
      of: shortKey(qualified('table')(owner)),
    }
  }
}

/** A list of the function that the command names. */
export function inFunction(list: string, field: string): Locate {
  return (document, args) => {
    const key = parseArgs(z.object({ function: QualifiedName }), args).function
    const owner = find(functions(document, args), key)
    return { owner, list, keyOf: named(field), of: shortKey(key), label: `function_${list}` }
  }
}

/** A list of the logical model that the command names. */
export function inLogicalModel(list: string, field: string): Locate {
  return (document, args) => {
    const { name } = parseArgs(z.object({ name: z.string() }), args)
    return { owner: find(logicalModels(document, args), name), list, keyOf: named(field), of: name }
  }
}

/** A list of the action that the command names. */
export function inAction(list: string, field: string): Locate {
  return (document, args) => {
    const { action } = parseArgs(z.object({ action: z.string() }), args)
    return { owner: find(actions(document, args), action), list, keyOf: named(field), of: action }
  }
}

/** The queries of a collection are called `name` in the document, `query_name` in the commands. */
export function queriesOf(document: Document, args: unknown): Place {
  const { collection_name } = parseArgs(z.object({ collection_name: z.string() }), args)
  const collection = find(collections(document, args), collection_name)
  const definition = parseArgs(Args, collection.definition)
  collection.definition = definition
  const keyOf = (entry: Node) => String(entry.query_name ?? entry.name)
  return { owner: definition, list: 'queries', keyOf, of: collection_name }
}
