import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdAdvisoryLock } from '../support/advisory-lock.ts'
import {
  DUE,
  type Scheduling,
  STATUS,
  startScheduling,
  watching,
  withCron,
} from '../support/scheduler.ts'

let on: Scheduling

beforeEach(async () => {
  on = await startScheduling()
})
afterEach(() => on?.stop())

test('a starting engine serves requests only after its row triggers are installed', async () => {
  await (await watching(on)).stop()
  // Imitates a database whose catalogue was restored without its functions.
  await on.db.query('drop function hdb_catalog."notify_hasura_note_changed_INSERT" cascade')
  const lock = await holdAdvisoryLock(on.db, `hashtext('hdb_catalog.row_triggers')`)
  const starting = on.engine()
  await lock.untilWaitedFor()
  expect(await Promise.race([starting, sleep(300, 'not yet')])).toBe('not yet')
  await lock.release()
  await starting
  await on.db.query(`insert into note values (1, 'a')`)
  await on.hook.count(1)
})

describe('events of killed engines are delivered by others', () => {
  test('an event of a killed engine is delivered by another, which leaves events of living engines', async () => {
    const first = await on.engineToKill()
    await first.post('/v1/metadata', withCron())
    const never = new Promise(() => {})
    on.reply = (nth) => (nth === 1 ? { status: 200, after: never } : { status: 200 })
    await on.db.query(DUE)
    await on.hook.count(1)
    await on.until(STATUS).toEqual([{ status: 'locked', tries: 0 }])
    const second = await on.engine()
    await second.post('/v1/metadata', { type: 'reload_metadata', args: {} })
    await on
      .until(
        `select count(*)::int from pg_stat_activity where application_name = 'engine scheduler' and datname = current_database()`,
      )
      .toEqual([{ count: 2 }])
    expect(on.hook.received).toHaveLength(1)
    await first.stop('SIGKILL')
    await on.hook.count(2)
    await on.until(STATUS).toEqual([{ status: 'delivered', tries: 1 }])
    expect(on.hook.received).toHaveLength(2)
  })

  test('an event of a killed engine is delivered after a restart', async () => {
    const first = await on.engineToKill()
    await first.post('/v1/metadata', withCron())
    const never = new Promise(() => {})
    on.reply = (nth) => (nth === 1 ? { status: 200, after: never } : { status: 200 })
    await on.db.query(DUE)
    await on.hook.count(1)
    await first.stop('SIGKILL')
    await on.engine()
    await on.until(STATUS).toEqual([{ status: 'delivered', tries: 1 }])
  })
})

test('two engines on one database deliver each of 300 events once', async () => {
  const [first, second] = [await on.engine(), await on.engine()]
  await first.post('/v1/metadata', withCron())
  await second.post('/v1/metadata', withCron())
  await on.db.query(`insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
    select 'nightly', now() - n * interval '1 second' from generate_series(1, 300) n`)
  await on
    .until(`select status, count(*)::int from hdb_catalog.hdb_cron_events
    where scheduled_time < now() group by status`)
    .toEqual([{ status: 'delivered', count: 300 }])
  expect(on.hook.received).toHaveLength(300)
})

test('an engine with older metadata leaves newer event triggers and their events unchanged', async () => {
  await on.engine({
    HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL: '0',
    ENGINE_CRON_GENERATE_INTERVAL_MS: '20',
  })
  await watching(on)
  for (const id of Array(10).keys()) {
    await on.db.query('insert into note (id) values ($1)', [id])
    await sleep(50)
  }
  await on.until(EVENTS).toEqual([{ count: 10, delivered: 10 }])
})

const EVENTS = `select count(*)::int, (count(*) filter (where delivered and not archived))::int as delivered
  from hdb_catalog.event_log`

test('an engine without eventing leaves triggers and events to other engines', async () => {
  const quietEngine = await on.engine({ HASURA_GRAPHQL_DISABLE_EVENTING: 'true' })
  await quietEngine.post('/v1/metadata', withCron())
  const args = { webhook: '{{HOOK}}/once', schedule_at: new Date().toISOString(), payload: 1 }
  const { body } = await quietEngine.post('/v1/metadata', { type: 'create_scheduled_event', args })
  expect(body).toMatchObject({ message: 'success' })
  const events = 'select count(*)::int from hdb_catalog.hdb_cron_events'
  expect((await on.db.query(events)).rows).toEqual([{ count: 0 }])
  await on.db.query(DUE)
  await on.engine()
  await on.hook.count(2)
  await on.until(STATUS).toEqual([{ status: 'delivered', tries: 1 }])
  await on.until(`${events} where status = 'scheduled'`).not.toEqual([{ count: 0 }])
})
