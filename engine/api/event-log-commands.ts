import { z } from 'zod'
import { parseArgs } from '../document/parse-args.ts'
import { EngineError } from '../errors.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import type { Command } from './command.ts'
import { utc } from './utc.ts'

const PAGE = { limit: z.number().int().default(100), offset: z.number().int().default(0) }

const OfTrigger = z.object({ name: z.string(), ...PAGE })

const Status = z.enum(['pending', 'processed'])

/** `pg_get_event_logs`: the events of an event trigger, the latest first. */
export async function getEventLogs({ args }: Command, call: AuthenticatedRequest) {
  const { name, limit, offset } = parseArgs(OfTrigger, args)
  const { status } = parseArgs(z.object({ status: Status.optional() }), args)
  checkTrigger(call, name)
  return listed(call, {
    shown: EVENT,
    from: `hdb_catalog.event_log one where trigger_name = $3 ${status ? STATUS[status] : ''}`,
    values: [limit, offset, name],
  })
}

/** `pg_get_event_invocation_logs`: the invocations of an event trigger's receiver, the latest first. */
export async function getEventInvocationLogs({ args }: Command, call: AuthenticatedRequest) {
  const { name, limit, offset } = parseArgs(OfTrigger, args)
  checkTrigger(call, name)
  return listed(call, {
    shown: INVOCATION,
    from: 'hdb_catalog.event_invocation_logs one where trigger_name = $3',
    values: [limit, offset, name],
  })
}

const OfEvent = z.object({
  event_id: z.string(),
  invocation_log_limit: PAGE.limit,
  invocation_log_offset: PAGE.offset,
})

/** `pg_get_event_by_id`: one event with its invocations, the latest first. */
export async function getEventById({ args }: Command, call: AuthenticatedRequest) {
  const { event_id, invocation_log_limit, invocation_log_offset } = parseArgs(OfEvent, args)
  const [event] = await listed(call, {
    shown: EVENT,
    from: 'hdb_catalog.event_log one where id = $3',
    values: [1, 0, event_id],
  })
  if (!event) throw notThere(`event id ${event_id} does not exist`)
  const invocations = await listed(call, {
    shown: INVOCATION,
    from: 'hdb_catalog.event_invocation_logs one where event_id = $3',
    values: [invocation_log_limit, invocation_log_offset, event_id],
  })
  return { event, invocations }
}

function checkTrigger({ services: { engine } }: AuthenticatedRequest, name: string) {
  if (!engine.schemaCache().model.eventTriggers.has(name))
    throw notThere(`event trigger "${name}" does not exist`)
}

function notThere(message: string): EngineError {
  return new EngineError('not-exists', message, { path: '$.args' })
}

type Listing = { shown: string; from: string; values: readonly [number, number, string] }

/** Runs a query for a list; `$1` is its limit, `$2` its offset. */
async function listed(
  { services: { engine } }: AuthenticatedRequest,
  { shown, from, values }: Listing,
) {
  const { rows } = await engine.pool.query<Record<string, unknown>>(
    `select ${shown} from ${from} order by one.created_at desc limit $1 offset $2`,
    [...values],
  )
  return rows
}

const STATUS: Readonly<Record<z.infer<typeof Status>, string>> = {
  pending: 'and not delivered and not error and not archived',
  processed: 'and (delivered or error) and not archived',
}

const EVENT = `id, schema_name, table_name, trigger_name, payload, delivered, error, tries,
  to_json(one.created_at) #>> '{}' || 'Z' as created_at,
  ${utc('one', 'locked')}, ${utc('one', 'next_retry_at')}, archived`

const INVOCATION = `id, trigger_name, event_id, status as http_status, request, response,
  ${utc('one', 'created_at')}`
