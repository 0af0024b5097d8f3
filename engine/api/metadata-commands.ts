import { z } from 'zod'
import { EngineError, type ErrorCode } from '../errors.ts'
import type { Call } from '../http/guarded.ts'
import { Metadata } from '../metadata/metadata.ts'
import { type Inconsistency, identityOf } from '../model/inconsistency.ts'
import { isRecord } from '../plan/decision.ts'
import { catalogState, setCatalogState } from './catalog-state.ts'
import type { DocumentEdit } from './changes.ts'
import { type Carry, type Command, CommandSchema, inside, ofCommand, SUCCESS } from './command.ts'
import { cleared, Document, has, nodesOf } from './document.ts'
import { withoutInconsistent } from './drop-inconsistent.ts'
import { documentEdits } from './edits.ts'
import { invokeEventTrigger, redeliverEvent } from './event-commands.ts'
import { getEventById, getEventInvocationLogs, getEventLogs } from './event-log-commands.ts'
import { refuseClash, replacing, shown } from './hidden-triggers.ts'
import { type Made, madeBy } from './made.ts'
import type { Judge } from './metadata-store.ts'
import { freeName, type ModelCheck, readableTable } from './model-checks.ts'
import { tryNativeQuery } from './native-query-check.ts'
import { parseArgs } from './parse-args.ts'
import { allowlist } from './places.ts'
import {
  createScheduledEvent,
  deleteScheduledEvent,
  getCronTriggers,
  getScheduledEventInvocations,
  getScheduledEvents,
} from './scheduled-event-commands.ts'
import { followDrop } from './schema-change.ts'
import { getListed, getSourceTables, getTableInfo } from './source-commands.ts'
import { testWebhookTransform } from './webhook-transform-command.ts'

/** The edits that are more than edits. Others may depend on what is dropped; `cascade` takes these along. */
const CARRIED: Readonly<Record<string, (edit: DocumentEdit) => Carry>> = {
  pg_untrack_table: dropping,
  pg_drop_relationship: dropping,
  pg_drop_computed_field: dropping,
  add_collection_to_allowlist: unlessListed,
  pg_create_object_relationship: checked(freeName),
  pg_create_array_relationship: checked(freeName),
  pg_create_function_permission: checked(readableTable),
  pg_track_native_query: tried,
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
  ['pg_get_event_logs', getEventLogs],
  ['pg_get_event_invocation_logs', getEventInvocationLogs],
  ['pg_get_event_by_id', getEventById],
  ['pg_get_source_tables', getSourceTables],
  ['pg_get_table_info', getTableInfo],
  ['pg_get_native_query', getListed('native_queries')],
  ['pg_get_logical_model', getListed('logical_models')],
  ['test_webhook_transform', testWebhookTransform],
  ['create_scheduled_event', createScheduledEvent],
  ['delete_scheduled_event', deleteScheduledEvent],
  ['get_scheduled_events', getScheduledEvents],
  ['get_scheduled_event_invocations', getScheduledEventInvocations],
  ['get_cron_triggers', getCronTriggers],
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
  const metadata = shown(document)
  return version === 1 ? metadata : { resource_version: resourceVersion, metadata }
}

const Replacement = z.object({
  allow_inconsistent_metadata: z.boolean().default(false),
  metadata: Document,
})

/** Takes the metadata as its arguments, or beside other arguments: then it is told what does not fit. */
async function replaceMetadata({ args, resource_version }: Command, { services: { store } }: Call) {
  const whole = parseArgs(Document, args)
  const { metadata, allow_inconsistent_metadata } =
    'metadata' in whole ? parseArgs(Replacement, args) : alone(whole)
  parseArgs(Metadata, metadata, 'metadata' in whole ? '$.args.metadata' : '$.args')
  checkVersion(resource_version, store.current().resourceVersion)
  const judge = allow_inconsistent_metadata ? anything : consistent
  const found = await store.change((old) => {
    refuseClash(old, metadata)
    return replacing(old, metadata)
  }, judge)
  return 'metadata' in whole ? report(found) : SUCCESS
}

function alone(metadata: Document): z.infer<typeof Replacement> {
  return { allow_inconsistent_metadata: false, metadata }
}

/** All of them, none, or those with these names. */
const Reloaded = z.union([z.boolean(), z.array(z.string())]).optional()

const Reloading = z.object({
  reload_sources: Reloaded,
  recreate_event_triggers: Reloaded,
  reload_remote_schemas: Reloaded,
})

/** Everything is read anew, whatever was asked for; what was named must be there. */
async function reloadMetadata({ args, resource_version }: Command, { services }: Call) {
  const { engine, store } = services
  const { document } = store.current()
  const given = isRecord(args) ? args : {}
  const { reload_sources, recreate_event_triggers, reload_remote_schemas } = parseArgs(
    Reloading,
    given,
  )
  checkNamed(document, 'remote_schemas', reload_remote_schemas)
  checkNamed(document, 'sources', reload_sources)
  checkNamed(document, 'sources', recreate_event_triggers)
  checkVersion(resource_version, store.current().resourceVersion)
  const found = await engine.reload()
  await store.touch()
  const { is_consistent, inconsistent_objects } = report(found)
  return { ...SUCCESS, is_consistent, ...(!is_consistent && { inconsistent_objects }) }
}

function checkNamed(document: Document, list: string, names: z.infer<typeof Reloaded>) {
  if (!Array.isArray(names)) return
  const known = nodesOf(document, list).map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const what = list === 'sources' ? 'Source' : 'Remote schema'
  const message = `${what} with name "${unknown}" not found in metadata`
  throw new EngineError('not-exists', message, { path: '$.args' })
}

/** How the database is reached is not forgotten. */
async function clearMetadata({ resource_version }: Command, { services: { store } }: Call) {
  checkVersion(resource_version, store.current().resourceVersion)
  await store.change((old) => replacing(old, cleared(old)), anything)
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
    inconsistent_objects: found.map(({ definition, entity, name, reason, type }) => ({
      ...(entity ? { entity } : { definition }),
      name,
      reason,
      type,
    })),
  }
}

/** A command that changes one thing is refused when it would make anything inconsistent that was not. */
function editing(edit: DocumentEdit): Carry {
  return ({ type, args, resource_version }, call) =>
    editTogether([{ type, edit, args, at: '$.args' }], resource_version, call)
}

function checked(check: ModelCheck): (edit: DocumentEdit) => Carry {
  return (edit) => async (command, call) => {
    check(call.services.engine.snapshot().model, command.args)
    return editing(edit)(command, call)
  }
}

/** A native query is held against the database before it is taken. */
function tried(edit: DocumentEdit): Carry {
  return async (command, call) => {
    const { engine, store } = call.services
    edit(structuredClone(store.current().document), command.args)
    await tryNativeQuery(engine, command.args)
    return editing(edit)(command, call)
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

/** One edit; `at` is where its arguments stand. */
type Step = { type: string; edit: DocumentEdit; args: unknown; at: string }

/** All of them, or none. */
async function editTogether(
  steps: readonly Step[],
  resourceVersion: number | null | undefined,
  { services: { store } }: Call,
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
async function bulkAtomic({ args, resource_version }: Command, call: Call) {
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

/** The same edit, that says which command it is when it cannot read its arguments. */
function saying(type: string, edit: DocumentEdit): DocumentEdit {
  return (document, args) => {
    try {
      edit(document, args)
    } catch (thrown) {
      throw ofCommand(type, thrown)
    }
  }
}

/** A command for several tables or functions at once. */
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

/**
 * Refuses what makes anything inconsistent that was not: the object itself for its reason, others together.
 * Permissions in conflict are no object, so that they are found, but keep nobody from a change.
 */
function nothingNew(made: readonly Made[]): Judge {
  return (after, before) => {
    const known = new Set(before.map(identityOf))
    const fresh = after.filter((object) => !object.entity && !known.has(identityOf(object)))
    if (fresh.length === 0) return
    const clash = fresh.find(({ conflict }) => conflict !== undefined)?.conflict
    if (clash !== undefined) throw new EngineError('unexpected', clash, { path: '$.args' })
    const own = fresh.filter(({ type }) => made.includes(type))
    const reasons = own.map(({ reason }) => reason).join(', ')
    if (own.length > 0) throw refused('invalid-configuration', reasons, own)
    throw made.every((type) => type === null)
      ? refused('unexpected', `${CANNOT} newly found inconsistent metadata`, fresh, 500)
      : refused('unexpected', `${CANNOT} new inconsistent metadata`, fresh)
  }
}

const anything: Judge = () => {}

const consistent: Judge = (after) => {
  if (after.length > 0) throw refused('unexpected', `${CANNOT} inconsistent metadata`, after)
}

const CANNOT = 'cannot continue due to'

function refused(
  code: ErrorCode,
  message: string,
  found: readonly Inconsistency[],
  status = 400,
): EngineError {
  const internal = report(found).inconsistent_objects
  return new EngineError(code, message, { path: '$.args', status, internal })
}

function checkVersion(referenced: number | null | undefined, current: number) {
  if (referenced == null || referenced === current) return
  throw new EngineError(
    'conflict',
    `metadata resource version referenced (${referenced}) did not match current version (${current})`,
  )
}
