import { z } from 'zod'
import { EngineError } from '../errors.ts'
import type { Call } from '../http/guarded.ts'
import type { Inconsistency } from '../model/inconsistency.ts'
import { catalogState, setCatalogState } from './catalog-state.ts'
import type { DocumentEdit } from './changes.ts'
import { type Carry, type Command, CommandSchema, inside, parseArgs, SUCCESS } from './command.ts'
import { Document, EMPTY, has } from './document.ts'
import { withoutInconsistent } from './drop-inconsistent.ts'
import { documentEdits } from './edits.ts'
import { invokeEventTrigger, redeliverEvent } from './event-commands.ts'
import type { Judge } from './metadata-store.ts'
import { allowlist } from './places.ts'
import { followDrop } from './schema-change.ts'

/** The edits that are more than edits. Others may depend on what is dropped; `cascade` takes these along. */
const CARRIED: Readonly<Record<string, (edit: DocumentEdit) => Carry>> = {
  pg_untrack_table: dropping,
  pg_drop_relationship: dropping,
  pg_drop_computed_field: dropping,
  add_collection_to_allowlist: unlessListed,
}

/** The commands of /v1/metadata, by `type`. */
export const metadataCommands: ReadonlyMap<string, Carry> = new Map<string, Carry>([
  ['export_metadata', exportMetadata],
  ['replace_metadata', replaceMetadata],
  ['reload_metadata', reloadMetadata],
  ['clear_metadata', clearMetadata],
  ['get_inconsistent_metadata', inconsistentMetadata],
  ['drop_inconsistent_metadata', dropInconsistentMetadata],
  ['get_catalog_state', catalogState],
  ['set_catalog_state', setCatalogState],
  ['pg_invoke_event_trigger', invokeEventTrigger],
  ['pg_redeliver_event', redeliverEvent],
  ['bulk_atomic', bulkAtomic],
  ['pg_track_tables', eachOf('tables', 'pg_track_table')],
  ['pg_untrack_tables', eachOf('tables', 'pg_untrack_table')],
  ['pg_track_functions', eachOf('functions', 'pg_track_function')],
  ['pg_untrack_functions', eachOf('functions', 'pg_untrack_function')],
  ...[...documentEdits].map(([type, edit]): [string, Carry] => [
    type,
    CARRIED[type]?.(edit) ?? editing(edit),
  ]),
])

async function exportMetadata({ version }: Command, { services: { store } }: Call) {
  const { document, resourceVersion } = store.current()
  return version === 1 ? document : { resource_version: resourceVersion, metadata: document }
}

const Replacement = z.object({
  allow_inconsistent_metadata: z.boolean().default(false),
  metadata: Document,
})

/** Takes the metadata itself as arguments, or beside `allow_inconsistent_metadata`. */
async function replaceMetadata(
  { version, args, resource_version }: Command,
  { services: { store } }: Call,
) {
  const replacement = parseArgs(z.union([Replacement, Document.transform(alone)]), args)
  checkVersion(resource_version, store.current().resourceVersion)
  const judge = replacement.allow_inconsistent_metadata ? anything : consistent
  const found = await store.change(() => replacement.metadata, judge)
  return version === 1 ? SUCCESS : report(found)
}

function alone(metadata: Document): z.infer<typeof Replacement> {
  return { allow_inconsistent_metadata: false, metadata }
}

async function reloadMetadata(_command: Command, { services: { engine } }: Call) {
  const found = await engine.reload()
  const { is_consistent, inconsistent_objects } = report(found)
  return { ...SUCCESS, is_consistent, ...(!is_consistent && { inconsistent_objects }) }
}

async function clearMetadata(_command: Command, { services: { store } }: Call) {
  await store.change(() => EMPTY, anything)
  return SUCCESS
}

async function inconsistentMetadata(_command: Command, { services: { engine } }: Call) {
  return report(engine.snapshot().inconsistencies)
}

async function dropInconsistentMetadata(_command: Command, { services }: Call) {
  const { engine, store } = services
  const { inconsistencies } = engine.snapshot()
  await store.change((document) => withoutInconsistent(document, inconsistencies), anything)
  return SUCCESS
}

function report(found: readonly Inconsistency[]) {
  return {
    is_consistent: found.length === 0,
    inconsistent_objects: found.map(({ definition, name, reason, type }) => ({
      definition,
      name,
      reason,
      type,
    })),
  }
}

/** A command that changes one thing is refused when it would make anything inconsistent that was not. */
function editing(edit: DocumentEdit): Carry {
  return ({ args, resource_version }, call) =>
    editTogether([{ edit, args, path: '$' }], resource_version, call)
}

const Dropping = z.object({ cascade: z.boolean().nullish() })

function dropping(edit: DocumentEdit): Carry {
  return async ({ args, resource_version }, { services: { engine, store } }) => {
    const { document, resourceVersion } = store.current()
    checkVersion(resource_version, resourceVersion)
    const copy = structuredClone(document)
    edit(copy, args)
    const left = await followDrop(engine, copy, parseArgs(Dropping, args).cascade ?? false)
    await store.change(() => {
      checkVersion(resourceVersion, store.current().resourceVersion)
      return left
    }, nothingNew)
    return SUCCESS
  }
}

const Listing = z.object({ collection: z.string() })

/** A collection that is on the allow list stays there as it is, and that is said. */
function unlessListed(edit: DocumentEdit): Carry {
  return async (command, call) => {
    const { collection } = parseArgs(Listing, command.args)
    const { document } = call.services.store.current()
    if (!has(allowlist(document, command.args), collection)) return editing(edit)(command, call)
    const message = `collection "${collection}" already exists in the allowlist, scope ignored; to change scope, use update_scope_of_collection_in_allowlist`
    return { message }
  }
}

type Step = { edit: DocumentEdit; args: unknown; path: string }

/** All of them, or none. */
async function editTogether(
  steps: readonly Step[],
  resourceVersion: number | null | undefined,
  { services: { store } }: Call,
) {
  checkVersion(resourceVersion, store.current().resourceVersion)
  await store.change((document) => {
    const copy = structuredClone(document)
    for (const { edit, args, path } of steps) {
      try {
        edit(copy, args)
      } catch (thrown) {
        throw inside(path, thrown)
      }
    }
    return copy
  }, nothingNew)
  return SUCCESS
}

/** `bulk_atomic`: a list of commands that each change one thing, as one change. */
async function bulkAtomic({ args, resource_version }: Command, call: Call) {
  const steps = parseArgs(z.array(CommandSchema), args).map((command, i) => {
    const edit = documentEdits.get(command.type)
    const path = `$.args[${i}]`
    if (edit) return { edit, args: command.args, path }
    const message = `unsupported in bulk_atomic: ${command.type}`
    throw new EngineError('not-supported', message, { path })
  })
  return editTogether(steps, resource_version, call)
}

/** A command for several tables or functions at once. */
function eachOf(list: string, type: string): Carry {
  const Args = z.object({ [list]: z.array(z.unknown()) })
  return ({ args, resource_version }, call) => {
    const edit = documentEdits.get(type)
    if (!edit) throw new EngineError('not-supported', type)
    const entries = parseArgs(Args, args)[list] ?? []
    const steps = entries.map((entry, i) => ({ edit, args: entry, path: `$.args.${list}[${i}]` }))
    return editTogether(steps, resource_version, call)
  }
}

const nothingNew: Judge = (after, before) => {
  const known = new Set(before.map(({ type, name }) => `${type} ${name}`))
  const fresh = after.filter(({ type, name }) => !known.has(`${type} ${name}`))
  if (!fresh[0]) return
  const context = { path: '$.args', internal: report(fresh).inconsistent_objects }
  throw new EngineError('invalid-configuration', fresh[0].reason, context)
}

const anything: Judge = () => {}

const consistent: Judge = (after) => {
  if (after.length === 0) return
  throw new EngineError('unexpected', 'cannot continue due to inconsistent metadata', {
    path: '$.args',
    status: 400,
    internal: after,
  })
}

function checkVersion(referenced: number | null | undefined, current: number) {
  if (referenced == null || referenced === current) return
  throw new EngineError(
    'conflict',
    `metadata resource version referenced (${referenced}) did not match current version (${current})`,
  )
}
