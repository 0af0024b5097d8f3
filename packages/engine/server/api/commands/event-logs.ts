import { z } from 'zod'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { sourceNameIn } from '../../../metadata-store/edit/places.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import { columnAsUtc } from '../column-as-utc.ts'
import type { Command, CommandRequest } from '../command.ts'
import { notExistsError } from '../command-errors.ts'

/** Commands that list the events of event triggers and the invocations of their webhooks. */
export const eventLogCommands: readonly Command[] = [
  { type: 'pg_get_event_logs', run: getEventLogs },
  { type: 'pg_get_event_invocation_logs', run: getInvocationLogs },
  { type: 'pg_get_event_by_id', run: getEventById },
]

const PAGE = { limit: z.number().int().default(100), offset: z.number().int().default(0) }

const TriggerArgs = z.object({ name: z.string(), ...PAGE })

const Status = z.enum(['pending', 'processed'])

/** `pg_get_event_logs`: lists the events of an event trigger, latest first. */
async function getEventLogs({ args }: CommandRequest, call: AuthenticatedRequest) {
  const { name, limit, offset } = parseArgs(TriggerArgs, args)
  const { status } = parseArgs(z.object({ status: Status.optional() }), args)
  const source = sourceNameIn(args)
  requireEventTrigger(call, source, name)
  return selectPage(call, {
    source,
    columns: EVENT_COLUMNS,
    from: `hdb_catalog.event_log one where trigger_name = $3 ${status ? STATUS_CONDITIONS[status] : ''}`,
    values: [limit, offset, name],
  })
}

/** `pg_get_event_invocation_logs`: lists the invocations of an event trigger's webhook, latest first. */
async function getInvocationLogs({ args }: CommandRequest, call: AuthenticatedRequest) {
  const { name, limit, offset } = parseArgs(TriggerArgs, args)
  const source = sourceNameIn(args)
  requireEventTrigger(call, source, name)
  return selectPage(call, {
    source,
    columns: INVOCATION_COLUMNS,
    from: 'hdb_catalog.event_invocation_logs one where trigger_name = $3',
    values: [limit, offset, name],
  })
}

const EventArgs = z.object({
  event_id: z.string(),
  invocation_log_limit: PAGE.limit,
  invocation_log_offset: PAGE.offset,
})

/** `pg_get_event_by_id`: returns an event with its invocations, latest first. */
async function getEventById({ args }: CommandRequest, call: AuthenticatedRequest) {
  const { event_id, invocation_log_limit, invocation_log_offset } = parseArgs(EventArgs, args)
  const source = sourceNameIn(args)
  const [event] = await selectPage(call, {
    source,
    columns: EVENT_COLUMNS,
    from: 'hdb_catalog.event_log one where id = $3',
    values: [1, 0, event_id],
  })
  if (!event) throw notExistsError(`event id ${event_id} does not exist`)
  const invocations = await selectPage(call, {
    source,
    columns: INVOCATION_COLUMNS,
    from: 'hdb_catalog.event_invocation_logs one where event_id = $3',
    values: [invocation_log_limit, invocation_log_offset, event_id],
  })
  return { event, invocations }
}

function requireEventTrigger(
  { services: { engine } }: AuthenticatedRequest,
  source: string,
  name: string,
) {
  if (!engine.schemaCache().model.sources.get(source)?.eventTriggers.has(name))
    throw notExistsError(`event trigger "${name}" does not exist`)
}

type ListQuery = {
  source: string
  columns: string
  from: string
  values: readonly [number, number, string]
}

/** Selects a page of a list; `$1` is the limit, `$2` the offset. */
async function selectPage(
  { services: { engine } }: AuthenticatedRequest,
  { source, columns, from, values }: ListQuery,
) {
  const { rows } = await engine
    .sourcePool(source)
    .query<Record<string, unknown>>(
      `select ${columns} from ${from} order by one.created_at desc limit $1 offset $2`,
      [...values],
    )
  return rows
}

const STATUS_CONDITIONS: Readonly<Record<z.infer<typeof Status>, string>> = {
  pending: 'and not delivered and not error and not archived',
  processed: 'and (delivered or error) and not archived',
}

const EVENT_COLUMNS = `id, schema_name, table_name, trigger_name, payload, delivered, error, tries,
  to_json(one.created_at) #>> '{}' || 'Z' as created_at,
  ${columnAsUtc('one', 'locked')}, ${columnAsUtc('one', 'next_retry_at')}, archived`

const INVOCATION_COLUMNS = `id, trigger_name, event_id, status as http_status, request, response,
  ${columnAsUtc('one', 'created_at')}`
