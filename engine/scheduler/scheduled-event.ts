import type { Config } from '../config.ts'
import type { RetryConfiguration } from '../metadata/cron-triggers.ts'
import { deliver, type Receiver } from './delivery.ts'
import type { Row, Settlement } from './lock-session.ts'

/** An event with its receiver and payload, and how often it is tried. */
export type ScheduledEvent = {
  receiver: Omit<Receiver, 'timeoutSeconds'>
  payload: object
  retries: RetryConfiguration
}

/** The statements that record what has become of an event; cron events and one-off events have a table each. */
export type Outcomes = { end: string; settle: string }

/** The statements for a table of events and the log of its invocations. */
export function outcomesIn(events: string, log: string): Outcomes {
  return {
    end: `update ${events} set status = $2 where id = $1`,
    settle: `
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
export async function deliverScheduled(
  row: Row,
  { receiver, payload, retries }: ScheduledEvent,
  outcomes: Outcomes,
  config: Config,
): Promise<Settlement> {
  if (Number(row.late_seconds) > retries.tolerance_seconds) {
    return { text: outcomes.end, values: [row.id, 'dead'] }
  }
  const to = { ...receiver, timeoutSeconds: retries.timeout_seconds }
  const message = { payload, session: null, version: '1' } as const
  const { ok, invocation, retryAfterSeconds } = await deliver(to, message, config)
  if (invocation === null) return { text: outcomes.end, values: [row.id, 'error'] }
  const { status, request, response } = invocation
  const again = retryAfterSeconds !== null || Number(row.tries) < retries.num_retries
  const failed = again ? 'scheduled' : 'error'
  const inSeconds = retryAfterSeconds ?? retries.retry_interval_seconds
  return {
    text: outcomes.settle,
    values: [row.id, ok ? 'delivered' : failed, inSeconds, status, request, response],
  }
}
