import { parseExactJson } from '../../../lib/runtime/exact-json.ts'
import type { EventTrigger } from '../compiler/model/triggers.ts'
import { isRecord } from '../json/record.ts'
import type { TemplateScope } from '../outgoing/transform/kriti/evaluation.ts'
import type { Engine } from '../runtime/engine.ts'
import { type Delivery, deliverWebhook } from './deliver-webhook.ts'
import type { Queue } from './queue.ts'
import type { QueueRow, RowOutcome } from './row-locks.ts'

/** Creates the queue that delivers the events of a source's event triggers, which row triggers write into its database. */
export function createEventTriggerQueue(engine: Engine, source: string): Queue {
  const { config, schemaCache } = engine
  const triggers = () => schemaCache().model.sources.get(source)?.eventTriggers ?? NO_TRIGGERS
  return {
    name: `events of ${source}`,
    intervalMs: config.eventsFetchMs,
    maxConcurrent: Math.min(config.eventsFetchBatchSize, config.eventsHttpPoolSize),
    lease: LEASE,
    leaseValues: () => [[...triggers().keys()]],
    async processRow(row) {
      const trigger = triggers().get(String(row.trigger_name))
      if (!trigger) return { text: RELEASE, values: [row.id] }
      const payload = rowEventPayload(row, trigger)
      const message = { payload, session: eventSession(payload.event), version: '2' } as const
      return eventOutcome(row, trigger, await deliverWebhook(trigger, message, engine))
    },
  }
}

const NO_TRIGGERS: ReadonlyMap<string, EventTrigger> = new Map()

function rowEventPayload(row: QueueRow, { name, retries }: EventTrigger) {
  return {
    id: row.id,
    created_at: row.created_at,
    trigger: { name },
    table: { schema: row.schema_name, name: row.table_name },
    event: parseExactJson(String(row.payload)),
    delivery_info: { current_retry: row.tries, max_retries: retries },
  }
}

function eventSession(event: unknown): TemplateScope | null {
  return isRecord(event) && isRecord(event.session_variables) ? event.session_variables : null
}

/** Returns the outcome of an event: delivered, to be retried, or failed. */
function eventOutcome(row: QueueRow, trigger: EventTrigger, delivery: Delivery): RowOutcome {
  const { ok, invocation, retryAfterSeconds } = delivery
  if (invocation === null) return { text: GIVE_UP, values: [row.id] }
  const { status, request, response } = invocation
  const triesAgain = !ok && (retryAfterSeconds !== null || Number(row.tries) < trigger.retries)
  const inSeconds = triesAgain ? (retryAfterSeconds ?? trigger.intervalSeconds) : null
  return {
    text: RECORD_ATTEMPT,
    values: [row.id, ok, !ok && !triesAgain, inSeconds, trigger.name, status, request, response],
  }
}

// Events that were already leased come last, because their lock is free only if the engine that leased them has ended.
const LEASE = `
with due as materialized (
  select id
  from hdb_catalog.event_log
  where id <> all ($1) and trigger_name = any ($3)
    and delivered = false and error = false and archived = false
    and (next_retry_at is null or next_retry_at <= localtimestamp)
  order by locked nulls first, next_retry_at nulls first, created_at
  limit $2
  for update skip locked
)
update hdb_catalog.event_log event
set locked = now()
from due
where event.id = due.id and pg_try_advisory_lock(hashtextextended(due.id, 0))
returning event.id, event.trigger_name, event.tries, event.schema_name, event.table_name,
  event.payload::text as payload, to_json(event.created_at) #>> '{}' as created_at`

const RELEASE = 'update hdb_catalog.event_log set locked = null where id = $1'

const GIVE_UP = 'update hdb_catalog.event_log set error = true, locked = null where id = $1'

const RECORD_ATTEMPT = `
with log as (
  insert into hdb_catalog.event_invocation_logs (event_id, trigger_name, status, request, response)
  values ($1, $5, $6, $7, $8)
)
update hdb_catalog.event_log
set delivered = $2, error = $3, tries = tries + 1, locked = null,
  next_retry_at = localtimestamp + make_interval(secs => $4)
where id = $1`
