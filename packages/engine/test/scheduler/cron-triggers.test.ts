import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { metadata, replace } from '../support/metadata.ts'
import {
  ADD_DUE_EVENT,
  CRON,
  type Scheduling,
  SELECT_STATUS,
  startScheduling,
  withCron,
} from '../support/scheduler.ts'

let scheduling: Scheduling

beforeEach(async () => {
  scheduling = await startScheduling()
})
afterEach(() => scheduling?.stop())

describe('a cron trigger creates and delivers its events', () => {
  test('a cron trigger has its next hundred events, in UTC, when its command returns', async () => {
    const one = await scheduling.engine()
    await one.post('/v1/metadata', withCron())
    const eventsQuery = `select count(*)::int, min(to_char(scheduled_time at time zone 'utc', 'HH24:MI')) as first
      from hdb_catalog.hdb_cron_events where status = 'scheduled'`
    const now = async () => (await scheduling.db.query(eventsQuery)).rows
    expect(await now()).toEqual([{ count: 100, first: '03:00' }])
    const changed = { ...CRON, schedule: '30 4 * * *' }
    await one.post('/v1/metadata', replace(metadata([], { cron_triggers: [changed] })))
    expect(await now()).toEqual([{ count: 100, first: '04:30' }])
    await one.post('/v1/metadata', replace(metadata([])))
    expect(await now()).toEqual([{ count: 0, first: null }])
  })

  test.each([
    ['0/5 * * * *', ['00', '05', '10', '15', '20', '25', '30', '35', '40', '45', '50', '55']],
    ['3/15 * * * *', ['03', '18', '33', '48']],
    ['1,40/10 * * * *', ['01', '40', '50']],
    ['7/70 * * * *', ['07']],
    ['*/70 * * * *', ['00']],
    ['30 0/6 * * *', ['30']],
    ['5 0 1/2 * *', ['05']],
  ])('a step from a number runs to the end of the field: %s', async (schedule, minutes) => {
    const one = await scheduling.engine()
    const trigger = { ...CRON, schedule }
    expect(
      await one.post('/v1/metadata', replace(metadata([], { cron_triggers: [trigger] }))),
    ).toMatchObject({ status: 200 })
    const minutesQuery = `select distinct to_char(scheduled_time at time zone 'utc', 'MI') as minute
      from hdb_catalog.hdb_cron_events order by 1`
    const { rows } = await scheduling.db.query(minutesQuery)
    expect(rows.map(({ minute }) => minute)).toEqual(minutes)
  })

  test.each(['0 0 */1 * 1', '0 0 *,5 * 1', '0 0 1 * */1'])(
    'a day field with every day leaves the choice to the other day field: %s',
    async (schedule) => {
      const one = await scheduling.engine()
      const trigger = { ...CRON, schedule }
      await one.post('/v1/metadata', replace(metadata([], { cron_triggers: [trigger] })))
      const daysQuery = `select distinct to_char(scheduled_time at time zone 'utc', $1) as day
        from hdb_catalog.hdb_cron_events order by 1`
      const isWeekday = schedule.endsWith(' 1')
      const { rows } = await scheduling.db.query(daysQuery, [isWeekday ? 'ID' : 'DD'])
      expect(rows).toEqual([{ day: isWeekday ? '1' : '01' }])
    },
  )

  test('a due cron event is posted once and logged', async () => {
    const one = await scheduling.engine()
    await one.post('/v1/metadata', withCron())
    await scheduling.db.query(ADD_DUE_EVENT)
    const [request] = await scheduling.hook.waitForRequests(1)
    expect(request).toMatchObject({
      method: 'POST',
      url: '/nightly',
      headers: { secret: 'from the environment', 'content-type': 'application/json' },
      body: {
        id: expect.any(String),
        name: 'nightly',
        scheduled_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        payload: { a: 1 },
        comment: 'why',
      },
    })
    await scheduling.pollRows(SELECT_STATUS).toEqual([{ status: 'delivered', tries: 1 }])
    const log = `select status, request ->> 'version' as version, request -> 'headers' -> 2 as secret
      from hdb_catalog.hdb_cron_event_invocation_logs`
    await scheduling
      .pollRows(log)
      .toEqual([
        { status: 200, version: '1', secret: { name: 'secret', value_from_env: 'SECRET' } },
      ])
    expect(scheduling.hook.received).toHaveLength(1)
  })

  test('a cron trigger without payload and comment sends a null payload and no comment', async () => {
    const one = await scheduling.engine()
    const { name, webhook, schedule } = CRON
    const bare = { name, webhook, schedule, include_in_metadata: true }
    await one.post('/v1/metadata', replace(metadata([], { cron_triggers: [bare] })))
    await scheduling.db.query(ADD_DUE_EVENT)
    const [request] = await scheduling.hook.waitForRequests(1)
    expect(request?.body).toEqual({
      id: expect.any(String),
      name: 'nightly',
      scheduled_time: expect.any(String),
      payload: null,
    })
  })

  test('a cron event is retried as often as configured, and then gets the status error', async () => {
    const one = await scheduling.engine()
    await one.post('/v1/metadata', withCron({ num_retries: 2, retry_interval_seconds: 0 }))
    scheduling.reply = () => ({ status: 500 })
    await scheduling.db.query(ADD_DUE_EVENT)
    await scheduling.pollRows(SELECT_STATUS).toEqual([{ status: 'error', tries: 3 }])
    expect(scheduling.hook.received).toHaveLength(3)
  })

  test('a cron event is retried after Retry-After', async () => {
    const one = await scheduling.engine()
    await one.post('/v1/metadata', withCron())
    scheduling.reply = (nth) =>
      nth === 1 ? { status: 503, headers: { 'retry-after': '1' } } : { status: 200 }
    await scheduling.db.query(ADD_DUE_EVENT)
    await scheduling.pollRows(SELECT_STATUS).toEqual([{ status: 'delivered', tries: 2 }])
  })

  test('a cron event that exceeds its tolerance is dead and not posted', async () => {
    const one = await scheduling.engine()
    await one.post('/v1/metadata', withCron({ tolerance_seconds: 30 }))
    await scheduling.db.query(ADD_DUE_EVENT)
    await scheduling.pollRows(SELECT_STATUS).toEqual([{ status: 'dead', tries: 0 }])
    expect(scheduling.hook.received).toHaveLength(0)
  })

  test('a cron trigger schedules events again for times that were processed while the clock was ahead', async () => {
    const one = await scheduling.engine()
    await scheduling.db.query(`insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time, status)
      values ('nightly', date_trunc('minute', now()) + interval '2 minutes', 'dead'),
        ('nightly', date_trunc('minute', now()) + interval '3 minutes', 'delivered')`)
    const eachMinute = { ...CRON, schedule: '* * * * *' }
    await one.post('/v1/metadata', replace(metadata([], { cron_triggers: [eachMinute] })))
    const repeatedQuery = `select count(*)::int from hdb_catalog.hdb_cron_events past
      join hdb_catalog.hdb_cron_events again using (trigger_name, scheduled_time)
      where past.status in ('dead', 'delivered') and again.status = 'scheduled'`
    expect((await scheduling.db.query(repeatedQuery)).rows).toEqual([{ count: 2 }])
  })

  test.each([
    ['a schedule of six parts', { schedule: '* * * * * *' }],
    ['an invalid schedule', { schedule: '61 * * * *' }],
    ['an unset variable', { webhook: '{{NOBODY}}/' }],
  ])('a cron trigger with %s is reported as inconsistent', async (_what, wrong) => {
    const one = await scheduling.engine()
    const args = {
      metadata: metadata([], { cron_triggers: [{ ...CRON, ...wrong }] }),
      allow_inconsistent_metadata: true,
    }
    const reply = await one.post('/v1/metadata', { type: 'replace_metadata', version: 2, args })
    expect(reply.body).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [{ type: 'cron_trigger', name: 'cron_trigger nightly' }],
    })
  })
})
