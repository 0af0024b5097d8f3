import { z } from 'zod'
import { has, QualifiedName } from '../document/document.ts'
import { parseArgs } from '../document/parse-args.ts'
import { allowlist } from '../document/places.ts'
import { rename } from '../document/renames.ts'
import { EngineError } from '../errors.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import { own } from '../json/own.ts'
import { shortKey } from '../postgres/catalog.ts'
import type { DocumentEdit } from './changes.ts'
import {
  type Carry,
  type Command,
  CommandSchema,
  checkVersion,
  inside,
  ofCommand,
  SUCCESS,
} from './command.ts'
import { documentEdits } from './edits.ts'
import { nothingNew } from './judges.ts'
import { madeBy } from './made.ts'
import { freeName, freeNewName, type ModelCheck, readableTable } from './model-checks.ts'
import { tryNativeQuery } from './native-query-check.ts'
import { followDrop } from './schema-change.ts'

/** Edits that need more than the document: a check, or (`dropping`) a look for what depends on the object. */
const CARRIED: Readonly<Record<string, (edit: DocumentEdit) => Carry>> = {
  pg_untrack_table: dropping,
  pg_drop_relationship: dropping,
  pg_drop_computed_field: dropping,
  drop_action: clearing,
  add_collection_to_allowlist: unlessListed,
  pg_create_object_relationship: checked(freeName),
  pg_create_array_relationship: checked(freeName),
  pg_rename_relationship: renaming,
  pg_create_function_permission: checked(readableTable),
  pg_track_native_query: tried,
}

/** All commands that change parts of the metadata. */
export const editCommands: readonly (readonly [string, Carry])[] = [
  ['bulk_atomic', bulkAtomic],
  ['pg_track_tables', eachOf('tables', 'pg_track_table')],
  ['pg_untrack_tables', eachOf('tables', 'pg_untrack_table')],
  ['pg_track_functions', eachOf('functions', 'pg_track_function')],
  ['pg_untrack_functions', eachOf('functions', 'pg_untrack_function')],
  ...[...documentEdits].map(([type, edit]) => [type, carrying(type, edit)] as const),
]

function carrying(type: string, edit: DocumentEdit): Carry {
  return own(CARRIED, type)?.(edit) ?? editing(edit)
}

/** A command that makes one edit, and is refused if anything would become inconsistent by it. */
function editing(edit: DocumentEdit): Carry {
  return ({ type, args, resource_version }, call) =>
    editTogether([{ type, edit, args, at: '$.args' }], resource_version, call)
}

function checked(check: ModelCheck): (edit: DocumentEdit) => Carry {
  return (edit) => async (command, call) => {
    check(call.services.engine.schemaCache().model, command.args)
    return editing(edit)(command, call)
  }
}

/** Has the database check a native query before it is tracked. */
function tried(edit: DocumentEdit): Carry {
  return async (command, call) => {
    const { engine, store } = call.services
    edit(structuredClone(store.current().document), command.args)
    await tryNativeQuery(engine, command.args)
    return editing(edit)(command, call)
  }
}

const Renaming = z.object({ table: QualifiedName, name: z.string(), new_name: z.string() })

/** Renames a relationship, also in conditions. */
function renaming(edit: DocumentEdit): Carry {
  return async ({ args, resource_version }, { services: { engine, store } }) => {
    checkVersion(resource_version, store.current().resourceVersion)
    edit(structuredClone(store.current().document), args)
    const { model } = engine.schemaCache()
    freeNewName(model, args)
    const { table, name, new_name } = parseArgs(Renaming, args)
    const fields = new Map([[shortKey(table), new Map([[name, new_name]])]])
    await store.change(
      (document) => rename(document, { tables: new Map(), fields }, model),
      nothingNew([null]),
    )
    return SUCCESS
  }
}

const Dropping = z.object({ cascade: z.boolean().nullish() })

function dropping(edit: DocumentEdit): Carry {
  return async ({ args, resource_version }, { services: { engine, store } }) => {
    const { document, resourceVersion } = store.current()
    checkVersion(resource_version, resourceVersion)
    const copy = structuredClone(document)
    edit(copy, args)
    const left = await followDrop(engine, copy, parseArgs(Dropping, args).cascade ?? false)
    await store.change(
      () => {
        checkVersion(resourceVersion, store.current().resourceVersion)
        return left
      },
      nothingNew([null]),
    )
    return SUCCESS
  }
}

const Clearing = z.object({ name: z.string(), clear_data: z.boolean().nullish() })

/** Drops an action and, unless `clear_data` is false, the log of its asynchronous calls. */
function clearing(edit: DocumentEdit): Carry {
  return async (command, call) => {
    const { name, clear_data } = parseArgs(Clearing, command.args)
    const done = await editing(edit)(command, call)
    if (clear_data ?? true) await call.services.engine.pool.query(CLEAR, [name])
    return done
  }
}

const CLEAR = 'delete from hdb_catalog.hdb_action_log where action_name = $1'

const Listing = z.object({ collection: z.string() })

/** Adds a collection to the allow list; if it is there already, it stays unchanged, and the answer says so. */
function unlessListed(edit: DocumentEdit): Carry {
  return async (command, call) => {
    const { collection } = parseArgs(Listing, command.args)
    const { document } = call.services.store.current()
    if (!has(allowlist(document, command.args), collection)) return editing(edit)(command, call)
    const message = `collection "${collection}" already exists in the allowlist, scope ignored; to change scope, use update_scope_of_collection_in_allowlist`
    return { message }
  }
}

/** One edit; `at` is the path of its arguments. */
type Step = { type: string; edit: DocumentEdit; args: unknown; at: string }

/** Makes several edits, all of them or none. */
async function editTogether(
  steps: readonly Step[],
  resourceVersion: number | null | undefined,
  { services: { store } }: AuthenticatedRequest,
) {
  checkVersion(resourceVersion, store.current().resourceVersion)
  await store.change(
    (document) => {
      const copy = structuredClone(document)
      for (const { edit, args, at } of steps) {
        try {
          edit(copy, args)
        } catch (thrown) {
          throw inside(at, thrown, '$.args')
        }
      }
      return copy
    },
    nothingNew(steps.map(({ type }) => madeBy(type))),
  )
  return SUCCESS
}

/** `bulk_atomic`: a list of commands that each change one thing, as one change. */
async function bulkAtomic({ args, resource_version }: Command, call: AuthenticatedRequest) {
  const steps = parseArgs(z.array(CommandSchema), args).map((command, i) => {
    const { type, args: own } = command
    const path = `$.args[${i}]`
    const edit = documentEdits.get(type)
    if (edit) return { type, edit: saying(type, edit), args: own, at: `${path}.args` }
    const message = `unsupported in bulk_atomic: ${type}`
    throw new EngineError('not-supported', message, { path })
  })
  return editTogether(steps, resource_version, call)
}

/** The same edit; an error about its arguments mentions the command, see `ofCommand`. */
function saying(type: string, edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    try {
      edit(document, args)
    } catch (thrown) {
      throw ofCommand(type, thrown)
    }
  }
}

/** A command that makes one edit for each of several tables or functions. */
function eachOf(list: string, type: string): Carry {
  const Args = z.object({ [list]: z.array(z.unknown()) })
  return ({ args, resource_version }, call) => {
    const edit = documentEdits.get(type)
    if (!edit) throw new EngineError('not-supported', type)
    const entries = parseArgs(Args, args)[list] ?? []
    const steps = entries.map((entry, i) => ({
      type,
      edit,
      args: entry,
      at: `$.args.${list}[${i}]`,
    }))
    return editTogether(steps, resource_version, call)
  }
}
