import type { RetryConfiguration } from '../metadata/cron-triggers.ts'
import type { Engine } from '../runtime/engine.ts'
import { deliverWebhook, type WebhookReceiver } from './deliver-webhook.ts'
import type { QueueRow, RowOutcome } from './row-locks.ts'

/** An event of a cron trigger, or a one-off event: its receiver, payload and retries. */
export type ScheduledEvent = {
  receiver: Omit<WebhookReceiver, 'timeoutSeconds'>
  payload: { id: unknown }
  retries: RetryConfiguration
}

/**
 * Returns the statement that leases due events: at most `$2`, and none in `$1`, the events that the engine already processes.
 *
 * @param columns columns of `event` to return, in addition to the columns that `deliverScheduledEvent` reads
 * @param where a further condition on the events
 */
export function leaseStatement(events: string, columns: string, where = 'true'): string {
  // Events that were already leased come last, because their lock is free only if the engine that leased them has ended.
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

/** The statements that record the outcome of an event. */
export type OutcomeStatements = { setStatus: string; recordAttempt: string }

/** Returns the outcome statements for a table of events and its log of invocations. */
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

/** Delivers a due event, unless it is too late. Returns its outcome: delivered, to be retried, failed, or dead (too late). */
export async function deliverScheduledEvent(
  row: QueueRow,
  { receiver, payload, retries }: ScheduledEvent,
  outcomes: OutcomeStatements,
  engine: Pick<Engine, 'config' | 'log'>,
): Promise<RowOutcome> {
  if (Number(row.late_seconds) > retries.tolerance_seconds) {
    return { text: outcomes.setStatus, values: [row.id, 'dead'] }
  }
  const timedReceiver = { ...receiver, timeoutSeconds: retries.timeout_seconds }
  const message = { payload, session: null, version: '1' } as const
  const { ok, invocation, retryAfterSeconds } = await deliverWebhook(timedReceiver, message, engine)
  if (invocation === null) return { text: outcomes.setStatus, values: [row.id, 'error'] }
  const { status, request, response } = invocation
  const triesAgain = retryAfterSeconds !== null || Number(row.tries) < retries.num_retries
  const statusAfterFailure = triesAgain ? 'scheduled' : 'error'
  const inSeconds = retryAfterSeconds ?? retries.retry_interval_seconds
  return {
    text: outcomes.recordAttempt,
    values: [row.id, ok ? 'delivered' : statusAfterFailure, inSeconds, status, request, response],
  }
}
