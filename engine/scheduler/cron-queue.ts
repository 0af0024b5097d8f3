import type { Engine } from '../engine.ts'
import type { CronTriggerMetadata } from '../metadata/cron-triggers.ts'
import type { Row } from './lock-session.ts'
import type { Queue } from './queue.ts'
import { deliverScheduled, outcomesIn } from './scheduled-event.ts'

/** Delivers the events of cron triggers that are due. */
export function cronQueue({ config, snapshot }: Engine): Queue {
  const triggers = () => snapshot().model.cronTriggers
  return {
    name: 'cron events',
    everyMs: config.cronDeliverMs,
    atOnce: config.eventsHttpPoolSize,
    claim: CLAIM,
    values: () => [[...triggers().keys()]],
    async work(row) {
      const trigger = triggers().get(String(row.trigger_name))?.metadata
      if (!trigger) return { text: UNCLAIM, values: [row.id] }
      const { webhook, headers, request_transform, response_transform, retry_conf } = trigger
      const event = {
        receiver: {
          webhook,
          headers,
          requestTransform: request_transform,
          responseTransform: response_transform,
        },
        payload: payloadOf(row, trigger),
        retries: retry_conf,
      }
      return deliverScheduled(row, event, OUTCOMES, config)
    },
  }
}

function payloadOf({ id, scheduled_time }: Row, { name, payload, comment }: CronTriggerMetadata) {
  const base = { id, name, scheduled_time, payload: payload ?? null }
  return comment == null ? base : { ...base, comment }
}

// Rows that are being worked on come last: their lock can be had only if the engine that had them is gone.
const CLAIM = `
with due as materialized (
  select id
  from hdb_catalog.hdb_cron_events
  where id <> all ($1) and trigger_name = any ($3)
    and (status = 'locked' or (status = 'scheduled' and coalesce(next_retry_at, scheduled_time) <= now()))
  order by status = 'locked', scheduled_time
  limit $2
  for update skip locked
)
update hdb_catalog.hdb_cron_events event
set status = 'locked'
from due
where event.id = due.id and pg_try_advisory_lock(hashtextextended(due.id, 0))
returning event.id, event.trigger_name, event.tries,
  to_char(event.scheduled_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as scheduled_time,
  extract(epoch from now() - event.scheduled_time) as late_seconds`

const UNCLAIM = `update hdb_catalog.hdb_cron_events set status = 'scheduled' where id = $1`

const OUTCOMES = outcomesIn(
  'hdb_catalog.hdb_cron_events',
  'hdb_catalog.hdb_cron_event_invocation_logs',
)
