import type { Engine } from '../engine.ts'
import type { CronTriggerMetadata } from '../metadata/metadata.ts'
import { type Delivered, deliver } from './delivery.ts'
import type { Row, Settlement } from './lock-session.ts'
import type { Queue } from './queue.ts'

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
      if (Number(row.late_seconds) > trigger.retry_conf.tolerance_seconds) {
        return { text: DEAD, values: [row.id] }
      }
      const payload = payloadOf(row, trigger)
      const delivered = await deliver(receiverOf(trigger), payload, config)
      return settlement(row, trigger, delivered)
    },
  }
}

function receiverOf({ webhook, headers, retry_conf, request_transform }: CronTriggerMetadata) {
  const timeoutSeconds = retry_conf.timeout_seconds
  return { webhook, headers, timeoutSeconds, requestTransform: request_transform }
}

function payloadOf({ id, scheduled_time }: Row, { name, payload, comment }: CronTriggerMetadata) {
  const base = { id, name, scheduled_time, payload: payload ?? null }
  return comment == null ? base : { ...base, comment }
}

/** Delivered; or again later; or, when it has been tried often enough, given up. */
function settlement(
  row: Row,
  { retry_conf }: CronTriggerMetadata,
  delivered: Delivered,
): Settlement {
  const { ok, status, request, response, retryAfterSeconds } = delivered
  const again = retryAfterSeconds !== null || Number(row.tries) < retry_conf.num_retries
  const failed = again ? 'scheduled' : 'error'
  const inSeconds = retryAfterSeconds ?? retry_conf.retry_interval_seconds
  return {
    text: SETTLE,
    values: [row.id, ok ? 'delivered' : failed, inSeconds, status, request, response],
  }
}

// Rows in someone's hands come last, and go only when whoever had them is gone.
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

const DEAD = `update hdb_catalog.hdb_cron_events set status = 'dead' where id = $1`

const SETTLE = `
with log as (
  insert into hdb_catalog.hdb_cron_event_invocation_logs (event_id, status, request, response)
  values ($1, $4, $5, $6)
)
update hdb_catalog.hdb_cron_events
set status = $2, tries = tries + 1,
  next_retry_at = case when $2 = 'scheduled' then now() + make_interval(secs => $3) end
where id = $1`
