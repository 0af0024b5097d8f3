import { z } from 'zod'
import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import { RetryConfiguration } from '../../../metadata/cron-triggers.ts'
import { Header, Transform } from '../../../metadata/primitives.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import { readTransforms } from '../checks/webhook-transforms.ts'
import { columnAsUtc } from '../column-as-utc.ts'
import { type Command, type CommandRequest, SUCCESS } from '../command.ts'
import { notExistsError } from '../command-errors.ts'

/** Commands on one-off scheduled events, and on the events of cron triggers. */
export const scheduledEventCommands: readonly Command[] = [
  { type: 'create_scheduled_event', run: createScheduledEvent },
  { type: 'delete_scheduled_event', run: deleteScheduledEvent },
  { type: 'get_scheduled_events', run: getScheduledEvents },
  { type: 'get_scheduled_event_invocations', run: getScheduledEventInvocations },
]

/**
 * A time. Like in Hasura, a space may replace `T` or precede the offset. The seconds, and the colon or the minutes of the
 * offset, may be missing.
 */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)? ?(?:Z|([+-]\d\d)(?::?(\d\d))?)$/

/** Returns a time in complete ISO 8601, and any other text unchanged. */
function normalizeTime(text: string): string {
  const [, day, minute, second = ':00', hours, minutes = '00'] = TIME.exec(text) ?? []
  if (day === undefined) return text
  return `${day}T${minute}${second}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`
}

const NewEvent = z.object({
  webhook: z.string(),
  schedule_at: z
    .string()
    .transform(normalizeTime)
    .pipe(z.iso.datetime({ offset: true })),
  payload: z.unknown().optional(),
  headers: z.array(Header).nullish(),
  retry_conf: RetryConfiguration.prefault({}),
  comment: z.string().nullish(),
  request_transform: Transform.nullish(),
  response_transform: Transform.nullish(),
})

/** `create_scheduled_event`: stores a one-off event for the scheduler. */
async function createScheduledEvent(
  { args }: CommandRequest,
  { services: { engine } }: AuthenticatedRequest,
) {
  const { webhook, schedule_at, payload, headers, retry_conf, comment, ...transforms } = parseArgs(
    NewEvent,
    args,
  )
  readTransforms(transforms)
  const { rows } = await engine.metadataDatabase.pool.query<{ id: string }>(INSERT_EVENT, [
    JSON.stringify(webhook),
    schedule_at,
    JSON.stringify(retry_conf),
    payload === undefined ? null : JSON.stringify(payload),
    JSON.stringify(headers ?? []),
    comment ?? null,
    transforms.request_transform ?? null,
    transforms.response_transform ?? null,
  ])
  return { ...SUCCESS, event_id: requireValue(rows[0], 'the new event').id }
}

const Kind = z.enum(['one_off', 'cron'])
type Kind = z.infer<typeof Kind>

/** `delete_scheduled_event`: deletes an event of either kind. A missing event is no error. */
async function deleteScheduledEvent(
  { args }: CommandRequest,
  { services: { engine } }: AuthenticatedRequest,
) {
  const { type, event_id } = parseArgs(z.object({ type: Kind, event_id: z.string() }), args)
  await engine.metadataDatabase.pool.query(`delete from ${TABLES[type].events} where id = $1`, [
    event_id,
  ])
  return SUCCESS
}

const Page = z.object({
  limit: z.number().int().nonnegative().nullish(),
  offset: z.number().int().nonnegative().nullish(),
  get_rows_count: z.boolean().default(false),
})

/** The arguments that select one-off events, or the events of a cron trigger. */
const Selection = z.discriminatedUnion('type', [
  Page.extend({ type: z.literal('cron'), trigger_name: z.string() }),
  Page.extend({ type: z.literal('one_off') }),
])

const Status = z.enum(['scheduled', 'locked', 'delivered', 'error', 'dead'], {
  error: ({ input }) => `unexpected status: ${input}`,
})

/** `get_scheduled_events`: lists events, earliest first. */
async function getScheduledEvents({ args }: CommandRequest, call: AuthenticatedRequest) {
  const selection = parseArgs(Selection, args)
  const { status } = parseArgs(z.object({ status: z.array(Status).default([]) }), args)
  const { events, columns } = TABLES[selection.type]
  const { count, list } = await selectPageAndCount(call, selection, {
    columns,
    from: `${events} event
      where (cardinality($3::text[]) = 0 or event.status = any ($3)) ${triggerCondition(selection, '$4')}`,
    order: 'event.scheduled_time',
    values: [status, ...triggerParameters(selection, call)],
  })
  return { ...count, events: list }
}

const EventSelection = Page.extend({ type: Kind, event_id: z.string() })

/** `get_scheduled_event_invocations`: lists the invocations of webhooks, latest first. */
async function getScheduledEventInvocations({ args }: CommandRequest, call: AuthenticatedRequest) {
  const selection = parseArgs(z.union([EventSelection, Selection]), args)
  const { events, invocations } = TABLES[selection.type]
  const ofEvent = 'event_id' in selection
  const { count, list } = await selectPageAndCount(call, selection, {
    columns: `log.id, log.event_id, log.status, log.request, log.response, ${columnAsUtc('log', 'created_at')}`,
    from: `${invocations} log join ${events} event on event.id = log.event_id
      where true ${ofEvent ? 'and event.id = $3' : triggerCondition(selection, '$3')}`,
    order: 'log.created_at desc',
    values: ofEvent ? [selection.event_id] : triggerParameters(selection, call),
  })
  return { invocations: list, ...count }
}

type Selection = z.infer<typeof Selection>

function triggerCondition({ type }: Selection, parameter: string): string {
  return type === 'cron' ? `and event.trigger_name = ${parameter}` : ''
}

function triggerParameters(
  selection: Selection,
  { services: { engine } }: AuthenticatedRequest,
): string[] {
  if (selection.type === 'one_off') return []
  const { trigger_name: name } = selection
  if (engine.schemaCache().metadata.cron_triggers.some((trigger) => trigger.name === name))
    return [name]
  throw notExistsError(`cron trigger with name: ${name} does not exist`)
}

type ListQuery = { columns: string; from: string; order: string; values: readonly unknown[] }

/** Selects a page of a list; `$1` is the limit, `$2` the offset. */
async function selectPageAndCount(
  { services: { engine } }: AuthenticatedRequest,
  { limit, offset, get_rows_count }: z.infer<typeof Page>,
  { columns, from, order, values }: ListQuery,
) {
  const { rows } = await engine.metadataDatabase.pool.query<{ count: number; list: unknown }>(
    `with page as (select ${columns} from ${from} order by ${order} limit $1 offset $2)
     select (select count(*)::int from ${from}) as count,
       (select coalesce(json_agg(page), '[]') from page) as list`,
    [limit ?? null, offset ?? 0, ...values],
  )
  const { count, list } = requireValue(rows[0], 'the row of the page')
  return { count: get_rows_count ? { count } : {}, list }
}

const TIME_COLUMNS = ['scheduled_time', 'created_at', 'next_retry_at']
  .map((column) => columnAsUtc('event', column))
  .join(', ')

const TABLES: Readonly<Record<Kind, { events: string; invocations: string; columns: string }>> = {
  one_off: {
    events: 'hdb_catalog.hdb_scheduled_events',
    invocations: 'hdb_catalog.hdb_scheduled_event_invocation_logs',
    columns: `event.id, webhook_conf, retry_conf, payload, header_conf, status, tries, comment,
      request_transform, response_transform, ${TIME_COLUMNS}`,
  },
  cron: {
    events: 'hdb_catalog.hdb_cron_events',
    invocations: 'hdb_catalog.hdb_cron_event_invocation_logs',
    columns: `event.id, trigger_name, status, tries, ${TIME_COLUMNS}`,
  },
}

const INSERT_EVENT = `
insert into hdb_catalog.hdb_scheduled_events
  (webhook_conf, scheduled_time, retry_conf, payload, header_conf, comment, request_transform, response_transform)
values ($1, $2, $3, $4, $5, $6, $7, $8)
returning id`
