import type { Pool } from 'pg'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import type { CronTrigger } from '../compiler/model/triggers.ts'

/**
 * Writes the next hundred events of each cron trigger, and deletes future events that the current metadata no longer schedules. Any
 * number of engines may run this at the same time.
 */
export async function scheduleCronEvents(pool: Pool, triggers: readonly CronTrigger[]) {
  // Uses the database's clock, so that all engines agree on the future events.
  const { rows } = await pool.query<{ now: Date }>('select now()')
  const { now } = requireValue(rows[0], 'the time of the database')
  await pool.query(DELETE_EVENTS_OF_OTHERS, [triggers.map(({ metadata }) => metadata.name)])
  for (const { metadata, schedule } of triggers) {
    await pool.query(WRITE_EVENTS, [metadata.name, schedule.nextRuns(EVENTS_AHEAD, now)])
  }
}

/** The number of events of a cron trigger that are written in advance. */
const EVENTS_AHEAD = 100

const DELETE_EVENTS_OF_OTHERS = `
delete from hdb_catalog.hdb_cron_events
where status = 'scheduled' and scheduled_time > now() and trigger_name <> all ($1)`

// A finished event with a time in the future was delivered while the database's clock was ahead. If its time is more than 30
// seconds away, it is ignored, so that the trigger fires again. If its time is nearer, it counts, so that a small correction of the
// clock does not fire the trigger twice.
const WRITE_EVENTS = `
with expected as (
  select unnest($2::timestamptz[]) as at
), wrong as (
  delete from hdb_catalog.hdb_cron_events
  where trigger_name = $1 and status = 'scheduled' and scheduled_time > now() and tries = 0
    and scheduled_time not in (select at from expected)
)
insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
select $1, at
from expected
where not exists (
  select from hdb_catalog.hdb_cron_events
  where trigger_name = $1 and scheduled_time = at
    and (status in ('scheduled', 'locked') or scheduled_time <= now() + interval '30 seconds')
)
on conflict do nothing`
