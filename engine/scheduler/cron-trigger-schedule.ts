import type { Pool } from 'pg'
import type { CronTrigger } from '../model/model.ts'

/**
 * Keeps the next hundred events of each trigger in the table, and deletes those that are wrong after a change of
 * the metadata. Any number of engines may do so at once.
 */
export async function scheduleCronEvents(pool: Pool, triggers: readonly CronTrigger[]) {
  // By the database's clock, so that all engines agree on which events are still to come.
  const { rows } = await pool.query('select now()')
  const now: Date = rows[0].now
  await pool.query(DELETE_FOREIGN_EVENTS, [triggers.map(({ metadata }) => metadata.name)])
  for (const { metadata, schedule } of triggers) {
    await pool.query(WRITE_EVENTS, [metadata.name, schedule.nextRuns(EVENTS_AHEAD, now)])
  }
}

const EVENTS_AHEAD = 100

const DELETE_FOREIGN_EVENTS = `
delete from hdb_catalog.hdb_cron_events
where status = 'scheduled' and scheduled_time > now() and trigger_name <> all ($1)`

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
)
on conflict do nothing`
