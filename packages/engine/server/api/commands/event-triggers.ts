import { z } from 'zod'
import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import { EngineError } from '../../../errors.ts'
import { isRecord } from '../../../json/record.ts'
import { dropEventTrigger } from '../../../metadata-store/edit/drops.ts'
import { addEntry, inSequence } from '../../../metadata-store/edit/edits.ts'
import { entriesOf } from '../../../metadata-store/edit/entries.ts'
import { entryError } from '../../../metadata-store/edit/entry-errors.ts'
import { keyedByQualifiedName, QualifiedKey } from '../../../metadata-store/edit/keys.ts'
import type {
  DocumentEdit,
  MetadataDocument,
} from '../../../metadata-store/edit/metadata-document.ts'
import type { Node } from '../../../metadata-store/edit/node.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import {
  eventTriggers,
  eventTriggersOf,
  findEventTriggerPlace,
  findTable,
  sourceNameIn,
} from '../../../metadata-store/edit/places.ts'
import { shortKey } from '../../../postgres/catalog.ts'
import { traceContext } from '../../../runtime/run/trace-context.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import type { EngineServices } from '../../http/endpoint.ts'
import { NewEventTrigger, Retries } from '../checks/event-trigger.ts'
import { requireReadableTransforms } from '../checks/webhook-transforms.ts'
import { type Command, type CommandRequest, SUCCESS } from '../command.ts'
import { notExistsError } from '../command-errors.ts'

const createEventTrigger = inSequence(
  requireReadableTransforms,
  requireValidTrigger,
  addEntry(eventTriggers, eventTriggerEntry),
)

/** Commands on event triggers, and on the delivery of their events. */
export const eventTriggerCommands: readonly Command[] = [
  {
    type: 'pg_create_event_trigger',
    edit: createEventTrigger,
    createdType: 'event_trigger',
    check: requireColumns,
  },
  { type: 'pg_delete_event_trigger', edit: dropEventTrigger },
  { type: 'pause_event_trigger_cleanups', edit: setCleanupPaused(true) },
  { type: 'resume_event_trigger_cleanups', edit: setCleanupPaused(false) },
  { type: 'pg_invoke_event_trigger', run: invokeEventTrigger },
  { type: 'pg_redeliver_event', run: redeliverEvent },
  { type: 'cleanup_event_trigger_logs', run: refuseLogCleanup },
]

/**
 * Checks the arguments of a new trigger. Its name must be free, unless the command replaces a trigger of the same table.
 *
 * @throws parse-failed, already-exists, not-supported
 */
function requireValidTrigger(document: MetadataDocument, args: unknown) {
  const { name, replace } = parseArgs(NewEventTrigger, args)
  const table = findTable(document, args)
  const place = findEventTriggerPlace(document, args, name)
  if (place && replace !== true) throw entryError('exists', place, name)
  const keyOf = keyedByQualifiedName('table')
  if (place && keyOf(place.owner) !== keyOf(table)) {
    const message = 'cannot replace table or schema for trigger'
    throw new EngineError('not-supported', message, { path: '$.args' })
  }
}

/** @throws not-exists for a column that the trigger's table does not have */
function requireColumns(args: unknown, { engine }: EngineServices) {
  const trigger = parseArgs(NewEventTrigger, args)
  const { table: key } = parseArgs(z.object({ table: QualifiedKey }), args)
  const table = engine
    .schemaCache()
    .model.sources.get(sourceNameIn(args))
    ?.tables.get(shortKey(key))
  if (!table) return
  const tableColumns = [...table.columns.values()].map(({ name }) => name)
  const triggerColumns = [trigger.insert, trigger.update, trigger.delete].flatMap((operation) => [
    ...columnList(operation?.columns),
    ...columnList(operation?.payload),
  ])
  const unknown = triggerColumns.find((name) => !tableColumns.includes(name))
  if (unknown !== undefined) throw notExistsError(`column "${unknown}" does not exist`)
}

function columnList(columns: '*' | readonly string[] | null | undefined): readonly string[] {
  return columns == null || columns === '*' ? [] : columns
}

/** Creates the document's entry from a command's arguments, with the operations in `definition`. */
function eventTriggerEntry(args: Node): Node {
  const { insert, update, delete: deletion, enable_manual = false, ...entry } = args
  const { table, source, replace, retry_conf, ...rest } = entry
  const operations = { enable_manual, insert, update, delete: deletion }
  const definition = Object.fromEntries(
    Object.entries(operations).filter(([, value]) => value != null),
  )
  return { ...rest, definition, retry_conf: retry_conf ?? Retries.parse({ timeout_sec: 60 }) }
}

const Cleanups = z.union([
  z.object({ sources: z.union([z.literal('*'), z.array(z.string())]) }),
  z.object({
    event_triggers: z.array(
      z.object({ source_name: z.string().default('default'), event_triggers: z.array(z.string()) }),
    ),
  }),
])

/** Pauses or resumes the cleanup of the named event triggers, or of all event triggers of sources. @throws not-exists */
function setCleanupPaused(paused: boolean): DocumentEdit {
  return (document, args) => {
    const cleanups = parseArgs(Cleanups, args)
    if ('sources' in cleanups) {
      const all = entriesOf(document, 'sources').map(({ name }) => String(name))
      for (const source of cleanups.sources === '*' ? all : cleanups.sources)
        for (const trigger of triggersInSource(document, source)) pauseCleanup(trigger, paused)
      return
    }
    for (const { source_name, event_triggers } of cleanups.event_triggers) {
      const triggers = triggersInSource(document, source_name)
      for (const name of event_triggers) {
        const trigger = triggers.find((candidate) => candidate.name === name)
        if (!trigger) throw entryError('missing', eventTriggersOf({}), name)
        if (!pauseCleanup(trigger, paused))
          throw notExistsError(`cleanup config does not exist for ${name}`)
      }
    }
  }
}

/** Returns the event triggers of a source. Changes to them change the document. */
function triggersInSource(document: MetadataDocument, name: string): Node[] {
  const sources = entriesOf(document, 'sources')
  document.sources = sources
  const source = sources.find((candidate) => candidate.name === name)
  if (!source) throw notExistsError(`source with name ${name} does not exists`)
  const tables = entriesOf(source, 'tables')
  source.tables = tables
  return tables.flatMap((table) => {
    const triggers = entriesOf(table, 'event_triggers')
    if (triggers.length > 0) table.event_triggers = triggers
    return triggers
  })
}

/** Pauses or resumes a trigger's cleanup. Returns false if it has none. */
function pauseCleanup(trigger: Node, paused: boolean): boolean {
  if (!isRecord(trigger.cleanup_config)) return false
  trigger.cleanup_config = { ...trigger.cleanup_config, paused }
  return true
}

const Invocation = z.object({ name: z.string(), payload: z.unknown() })

/** `pg_invoke_event_trigger`: creates an event without a change of a row. The scheduler delivers it like any other event. */
async function invokeEventTrigger(
  { args }: CommandRequest,
  { request, services: { engine }, session }: AuthenticatedRequest,
) {
  const { name, payload } = parseArgs(Invocation, args)
  const source = sourceNameIn(args)
  const trigger = engine.schemaCache().model.sources.get(source)?.eventTriggers.get(name)
  if (!trigger) throw notExistsError(`event trigger "${name}" does not exist`)
  if (!trigger.allowsManual) {
    const message = 'manual mode is not enabled for event trigger'
    throw new EngineError('not-supported', message, { path: '$.args' })
  }
  const event = {
    op: 'MANUAL',
    data: { old: null, new: payload },
    session_variables: Object.fromEntries(session.variables),
    trace_context: traceContext(request.client.headers, engine.schemaCache().metadata),
  }
  const { table } = trigger
  const { rows } = await engine
    .sourcePool(source)
    .query<{ id: string }>(INSERT_EVENT, [table.schema, table.name, name, JSON.stringify(event)])
  return { event_id: requireValue(rows[0], 'the new event').id }
}

/** `pg_redeliver_event`: resets an event, so that the scheduler delivers it again. */
async function redeliverEvent(
  { args }: CommandRequest,
  { services: { engine } }: AuthenticatedRequest,
) {
  const { event_id } = parseArgs(z.object({ event_id: z.string() }), args)
  const pool = engine.sourcePool(sourceNameIn(args))
  const { rows } = await pool.query<{ locked: boolean }>(RESET_EVENT, [event_id])
  const [event] = rows
  if (!event) throw notExistsError('event not found')
  if (event.locked) {
    throw new EngineError('busy', 'event is already being processed', { path: '$.args' })
  }
  return SUCCESS
}

/** `cleanup_event_trigger_logs`: always fails, as in Hasura's free edition. */
async function refuseLogCleanup() {
  const message = 'Event log cleanup feature is enterprise edition only'
  throw new EngineError('not-supported', message, { path: '$.args' })
}

const INSERT_EVENT = `
insert into hdb_catalog.event_log (created_at, schema_name, table_name, trigger_name, payload)
values (now() at time zone 'utc', $1, $2, $3, $4)
returning id`

const RESET_EVENT = `
with freed as (
  update hdb_catalog.event_log
  set delivered = false, error = false, tries = 0, next_retry_at = null
  where id = $1 and locked is null
)
select locked is not null as locked from hdb_catalog.event_log where id = $1`
