import { z } from 'zod'
import { parseArgs } from '../document/parse-args.ts'
import { EngineError } from '../errors.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import { traceContext } from '../run/trace-context.ts'
import { type Command, SUCCESS } from './command.ts'

const Invocation = z.object({ name: z.string(), payload: z.unknown() })

/** `pg_invoke_event_trigger`: creates an event without a change; the scheduler delivers it like any other. */
export async function invokeEventTrigger(
  { args }: Command,
  { request, services: { engine }, session }: AuthenticatedRequest,
) {
  const { name, payload } = parseArgs(Invocation, args)
  const trigger = engine.schemaCache().model.eventTriggers.get(name)
  if (!trigger) throw notThere(`event trigger "${name}" does not exist`)
  if (!trigger.manual) {
    const message = 'manual mode is not enabled for event trigger'
    throw new EngineError('not-supported', message, { path: '$.args' })
  }
  const event = {
    op: 'MANUAL',
    data: { old: null, new: payload },
    session_variables: Object.fromEntries(session.variables),
    trace_context: traceContext(request.client.headers),
  }
  const { table } = trigger
  const { rows } = await engine.pool.query(INVOKE, [
    table.schema,
    table.name,
    name,
    JSON.stringify(event),
  ])
  return { event_id: rows[0]?.id }
}

/** `pg_redeliver_event`: has a finished event delivered again. */
export async function redeliverEvent(
  { args }: Command,
  { services: { engine } }: AuthenticatedRequest,
) {
  const { event_id } = parseArgs(z.object({ event_id: z.string() }), args)
  const { rows } = await engine.pool.query(REDELIVER, [event_id])
  const [event] = rows
  if (!event) throw notThere('event not found')
  if (event.locked) {
    throw new EngineError('busy', 'event is already being processed', { path: '$.args' })
  }
  return SUCCESS
}

/** `cleanup_event_trigger_logs`: refused, as in Hasura's free edition. */
export async function cleanUpEventLogs() {
  const message = 'Event log cleanup feature is enterprise edition only'
  throw new EngineError('not-supported', message, { path: '$.args' })
}

const INVOKE = `
insert into hdb_catalog.event_log (created_at, schema_name, table_name, trigger_name, payload)
values (now() at time zone 'utc', $1, $2, $3, $4)
returning id`

const REDELIVER = `
with freed as (
  update hdb_catalog.event_log
  set delivered = false, error = false, tries = 0, next_retry_at = null
  where id = $1 and locked is null
)
select locked is not null as locked from hdb_catalog.event_log where id = $1`

function notThere(message: string): EngineError {
  return new EngineError('not-exists', message, { path: '$.args' })
}
