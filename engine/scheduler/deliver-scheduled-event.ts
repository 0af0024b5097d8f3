import type { Config } from '../config.ts'
import type { RetryConfiguration } from '../metadata/cron-triggers.ts'
import { deliverWebhook, type WebhookReceiver } from './deliver-webhook.ts'
import type { QueueRow, RowOutcome } from './row-locks.ts'

/** An event with its receiver and payload, and how often it is tried. */
export type ScheduledEvent = {
  receiver: Omit<WebhookReceiver, 'timeoutSeconds'>
  payload: object
  retries: RetryConfiguration
}

/**
 * The statement by which an engine claims events that are due: at most `$2`, and none of `$1`, which it is working on.
 *
 * @param columns those of `event` that are needed besides what `deliverScheduled` reads
 * @param where which events, besides that they are due
 */
export function claimStatement(events: string, columns: string, where = 'true'): string {
  // Rows that are being worked on come last: their lock can be had only if the engine that had them is gone.
  return `
with due as materialized (
  select id
  from ${events}
  where id <> all ($1) and ${where}
    and (status = 'locked' or (status = 'scheduled' and coalesce(next_retry_at, scheduled_time) <= now()))
  order by status = 'locked', scheduled_time
  limit $2
  for update skip locked
)
update ${events} event
set status = 'locked'
from due
where event.id = due.id and pg_try_advisory_lock(hashtextextended(due.id, 0))
returning event.id, event.tries, extract(epoch from now() - event.scheduled_time) as late_seconds,
  ${columns}`
}

/** The statements that record what has become of an event; cron events and one-off events have a table each. */
export type OutcomeStatements = { setStatus: string; recordAttempt: string }

/** The statements for a table of events and the log of its invocations. */
export function outcomeStatements(events: string, log: string): OutcomeStatements {
  return {
    setStatus: `update ${events} set status = $2 where id = $1`,
    recordAttempt: `
with log as (
  insert into ${log} (event_id, status, request, response)
  values ($1, $4, $5, $6)
)
update ${events}
set status = $2, tries = tries + 1,
  next_retry_at = case when $2 = 'scheduled' then now() + make_interval(secs => $3) end
where id = $1`,
  }
}

/**
 * Delivers an event that is due.
 * It is then delivered, tried again later, or given up after its last attempt.
 */
export async function deliverScheduledEvent(
  row: QueueRow,
  { receiver, payload, retries }: ScheduledEvent,
  outcomes: OutcomeStatements,
  config: Config,
): Promise<RowOutcome> {
  if (Number(row.late_seconds) > retries.tolerance_seconds) {
    return { text: outcomes.setStatus, values: [row.id, 'dead'] }
  }
  const to = { ...receiver, timeoutSeconds: retries.timeout_seconds }
  const message = { payload, session: null, version: '1' } as const
  const { ok, invocation, retryAfterSeconds } = await deliverWebhook(to, message, config)
  if (invocation === null) return { text: outcomes.setStatus, values: [row.id, 'error'] }
  const { status, request, response } = invocation
  const again = retryAfterSeconds !== null || Number(row.tries) < retries.num_retries
  const failed = again ? 'scheduled' : 'error'
  const inSeconds = retryAfterSeconds ?? retries.retry_interval_seconds
  return {
    text: outcomes.recordAttempt,
    values: [row.id, ok ? 'delivered' : failed, inSeconds, status, request, response],
  }
}
