import type { Pool } from 'pg'
import { present } from '../../../lib/runtime/present.ts'
import type { CronTrigger } from '../compiler/model/triggers.ts'

/**
 * Writes the next hundred events of each cron trigger into the table, and deletes those that are wrong since the
 * metadata has changed. Any number of engines may do so at once.
 */
export async function scheduleCronEvents(pool: Pool, triggers: readonly CronTrigger[]) {
  // The database's clock, so that all engines agree on which events are in the future.
  const { rows } = await pool.query<{ now: Date }>('select now()')
  const { now } = present(rows[0], 'the time of the database')
  await pool.query(DELETE_EVENTS_OF_OTHERS, [triggers.map(({ metadata }) => metadata.name)])
  for (const { metadata, schedule } of triggers) {
    await pool.query(WRITE_EVENTS, [metadata.name, schedule.nextRuns(EVENTS_AHEAD, now)])
  }
}

/** How many events of a cron trigger are written in advance. */
const EVENTS_AHEAD = 100

const DELETE_EVENTS_OF_OTHERS = `
delete from hdb_catalog.hdb_cron_events
where status = 'scheduled' and scheduled_time > now() and trigger_name <> all ($1)`

// An event that is over although its time is still to come is from when the database's clock was ahead: it does not count,
// unless it is so near that a clock which was corrected a little would let it fire twice.
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
