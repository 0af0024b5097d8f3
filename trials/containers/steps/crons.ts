import { setTimeout as sleep } from 'node:timers/promises'
import { expectThat, type World } from './world.ts'

/** The cron triggers that are due every minute. */
const EVERY_MINUTE = ['mail', 'prices', 'transactions']

const MAX_WAIT_MS = 150_000

/** Counts, for each cron trigger, its events, requests, successful requests and delivered events since a time. */
const EVENT_COUNTS = (since: string) => `
  select trigger_name, count(distinct event.id), count(log.id),
    count(*) filter (where log.status = 200), count(distinct event.id) filter (where event.status = 'delivered')
  from hdb_catalog.hdb_cron_events event
  left join hdb_catalog.hdb_cron_event_invocation_logs log on log.event_id = event.id
  where event.scheduled_time > '${since}' and event.scheduled_time < now() - interval '5 seconds'
  group by trigger_name`

/**
 * Waits until each schedule that is due every minute has fired this many times.
 *
 * @throws Error if an event was sent twice, or a schedule has not fired in time
 */
export async function awaitCrons({ stack }: World, times: number): Promise<string> {
  const since = await stack.sql('select now()')
  for (const deadline = Date.now() + MAX_WAIT_MS; Date.now() < deadline; await sleep(2_000)) {
    const rows = (await stack.sql(EVENT_COUNTS(since))).split('\n').map((line) => line.split('|'))
    const ready = EVERY_MINUTE.filter((name) =>
      rows.some(([trigger, , , , delivered]) => trigger === name && Number(delivered) >= times),
    )
    const repeated = rows.filter(([, events, requests]) => Number(requests) > Number(events))
    expectThat(repeated.length === 0, `events were sent more than once: ${repeated.join(' ')}`)
    if (ready.length === EVERY_MINUTE.length)
      return rows.map(([name, , requests]) => `${name} ${requests}`).join(', ')
  }
  throw new Error(
    `each schedule must fire ${times} times; got ${await stack.sql(EVENT_COUNTS(since))}`,
  )
}
