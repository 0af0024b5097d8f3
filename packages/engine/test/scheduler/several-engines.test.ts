import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdAdvisoryLock } from '../support/advisory-lock.ts'
import {
  ADD_DUE_EVENT,
  type Scheduling,
  SELECT_STATUS,
  startScheduling,
  watchNotes,
  withCron,
} from '../support/scheduler.ts'

let scheduling: Scheduling

beforeEach(async () => {
  scheduling = await startScheduling()
})
afterEach(() => scheduling?.stop())

test('a starting engine serves requests only after its row triggers are installed', async () => {
  await (await watchNotes(scheduling)).stop()
  // Imitates a database after its catalogue was restored without functions.
  await scheduling.db.query('drop function hdb_catalog."notify_hasura_note_changed_INSERT" cascade')
  const lock = await holdAdvisoryLock(scheduling.db, `hashtext('hdb_catalog.row_triggers')`)
  const starting = scheduling.engine()
  await lock.waitUntilRequested()
  expect(await Promise.race([starting, sleep(300, 'not yet')])).toBe('not yet')
  await lock.release()
  await starting
  await scheduling.db.query(`insert into note values (1, 'a')`)
  await scheduling.hook.waitForRequests(1)
})

describe('other engines deliver the events of killed engines', () => {
  test('an engine delivers the event of a killed engine, and leaves the events of running engines to them', async () => {
    const first = await scheduling.startEngineProcess()
    await first.post('/v1/metadata', withCron())
    const never = new Promise(() => {})
    scheduling.reply = (nth) => (nth === 1 ? { status: 200, after: never } : { status: 200 })
    await scheduling.db.query(ADD_DUE_EVENT)
    await scheduling.hook.waitForRequests(1)
    await scheduling.pollRows(SELECT_STATUS).toEqual([{ status: 'locked', tries: 0 }])
    const second = await scheduling.engine()
    await second.post('/v1/metadata', { type: 'reload_metadata', args: {} })
    await scheduling
      .pollRows(
        `select count(*)::int from pg_stat_activity where application_name = 'engine scheduler' and datname = current_database()`,
      )
      .toEqual([{ count: 2 }])
    expect(scheduling.hook.received).toHaveLength(1)
    await first.stop('SIGKILL')
    await scheduling.hook.waitForRequests(2)
    await scheduling.pollRows(SELECT_STATUS).toEqual([{ status: 'delivered', tries: 1 }])
    expect(scheduling.hook.received).toHaveLength(2)
  })

  test('an event of a killed engine is delivered after a restart', async () => {
    const first = await scheduling.startEngineProcess()
    await first.post('/v1/metadata', withCron())
    const never = new Promise(() => {})
    scheduling.reply = (nth) => (nth === 1 ? { status: 200, after: never } : { status: 200 })
    await scheduling.db.query(ADD_DUE_EVENT)
    await scheduling.hook.waitForRequests(1)
    await first.stop('SIGKILL')
    await scheduling.engine()
    await scheduling.pollRows(SELECT_STATUS).toEqual([{ status: 'delivered', tries: 1 }])
  })
})

test('two engines on one database deliver each of 300 events once', async () => {
  const [first, second] = [await scheduling.engine(), await scheduling.engine()]
  await first.post('/v1/metadata', withCron())
  await second.post('/v1/metadata', withCron())
  await scheduling.db.query(`insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
    select 'nightly', now() - n * interval '1 second' from generate_series(1, 300) n`)
  await scheduling
    .pollRows(`select status, count(*)::int from hdb_catalog.hdb_cron_events
    where scheduled_time < now() group by status`)
    .toEqual([{ status: 'delivered', count: 300 }])
  expect(scheduling.hook.received).toHaveLength(300)
})

test('an engine with older metadata leaves newer event triggers and their events unchanged', async () => {
  await scheduling.engine({
    HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL: '0',
    ENGINE_CRON_GENERATE_INTERVAL_MS: '20',
  })
  await watchNotes(scheduling)
  for (const id of Array(10).keys()) {
    await scheduling.db.query('insert into note (id) values ($1)', [id])
    await sleep(50)
  }
  await scheduling.pollRows(EVENTS).toEqual([{ count: 10, delivered: 10 }])
})

const EVENTS = `select count(*)::int, (count(*) filter (where delivered and not archived))::int as delivered
  from hdb_catalog.event_log`

test('an engine without eventing leaves triggers and events to other engines', async () => {
  const quietEngine = await scheduling.engine({ HASURA_GRAPHQL_DISABLE_EVENTING: 'true' })
  await quietEngine.post('/v1/metadata', withCron())
  const args = { webhook: '{{HOOK}}/once', schedule_at: new Date().toISOString(), payload: 1 }
  const { body } = await quietEngine.post('/v1/metadata', { type: 'create_scheduled_event', args })
  expect(body).toMatchObject({ message: 'success' })
  const events = 'select count(*)::int from hdb_catalog.hdb_cron_events'
  expect((await scheduling.db.query(events)).rows).toEqual([{ count: 0 }])
  await scheduling.db.query(ADD_DUE_EVENT)
  await scheduling.engine()
  await scheduling.hook.waitForRequests(2)
  await scheduling.pollRows(SELECT_STATUS).toEqual([{ status: 'delivered', tries: 1 }])
  await scheduling.pollRows(`${events} where status = 'scheduled'`).not.toEqual([{ count: 0 }])
})
