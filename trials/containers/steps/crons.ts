import { setTimeout as sleep } from 'node:timers/promises'
import { expectThat, type World } from './world.ts'

/** Those that are due every minute. */
const EVERY_MINUTE = ['mail', 'prices', 'transactions']

const MAX_WAIT_MS = 150_000

/** What became of each event since a moment: how often it was sent, and how often that was answered with success. */
const SENT = (since: string) => `
  select trigger_name, count(distinct event.id), count(log.id),
    count(*) filter (where log.status = 200), count(distinct event.id) filter (where event.status = 'delivered')
  from hdb_catalog.hdb_cron_events event
  left join hdb_catalog.hdb_cron_event_invocation_logs log on log.event_id = event.id
  where event.scheduled_time > '${since}' and event.scheduled_time < now() - interval '5 seconds'
  group by trigger_name`

/**
 * Waits until the schedules that are due every minute have fired, as many times as given.
 *
 * @throws Error when one of them was sent twice, or refused
 */
export async function awaitCrons({ stack }: World, times: number): Promise<string> {
  const since = await stack.sql('select now()')
  for (const deadline = Date.now() + MAX_WAIT_MS; Date.now() < deadline; await sleep(2_000)) {
    const rows = (await stack.sql(SENT(since))).split('\n').map((line) => line.split('|'))
    const done = EVERY_MINUTE.filter((name) =>
      rows.some(([trigger, , , , delivered]) => trigger === name && Number(delivered) >= times),
    )
    const wrong = rows.filter(([, events, sent]) => Number(sent) > Number(events))
    expectThat(wrong.length === 0, `sent more than once: ${wrong.join(' ')}`)
    if (done.length === EVERY_MINUTE.length)
      return rows.map(([name, , sent]) => `${name} ${sent}`).join(', ')
  }
  throw new Error(`not fired ${times} times: ${await stack.sql(SENT(since))}`)
}
