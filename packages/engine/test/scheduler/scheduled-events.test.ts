import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  CRON,
  runMetadataCommand,
  type Scheduling,
  startScheduling,
  withCron,
} from '../support/scheduler.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let scheduling: Scheduling

beforeEach(async () => {
  scheduling = await startScheduling()
})
afterEach(() => scheduling?.stop())

describe('scheduled events are created, delivered and logged', () => {
  const EVENT = {
    webhook: '{{HOOK}}/once',
    payload: { a: 1 },
    headers: [{ name: 'secret', value_from_env: 'SECRET' }],
    comment: 'why',
  }
  const create = (one: ServedEngine, rest: object = {}) =>
    runMetadataCommand(one, 'create_scheduled_event', {
      ...EVENT,
      schedule_at: new Date().toISOString(),
      ...rest,
    })
  const STATUS = 'select status, tries from hdb_catalog.hdb_scheduled_events'

  test('a scheduled event is posted once when it is due, and its log can be read', async () => {
    const one = await scheduling.engine()
    const at = '2040-01-01T10:00:00.25+02:00'
    const later = await create(one, { schedule_at: at })
    expect(later).toEqual({ message: 'success', event_id: expect.any(String) })
    const creation = await create(one)
    const [request] = await scheduling.hook.waitForRequests(1)
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    expect(request).toMatchObject({
      method: 'POST',
      url: '/once',
      headers: { secret: 'from the environment', 'content-type': 'application/json' },
    })
    expect(request?.body).toEqual({
      id: expect.any(String),
      scheduled_time: time,
      created_at: time,
      payload: { a: 1 },
      comment: 'why',
    })
    expect(creation).toMatchObject({ event_id: Object(request?.body).id })
    await scheduling.pollRows(`${STATUS} order by status`).toEqual([
      { status: 'delivered', tries: 1 },
      { status: 'scheduled', tries: 0 },
    ])
    const filter = { type: 'one_off', status: ['scheduled'], get_rows_count: true }
    expect(await runMetadataCommand(one, 'get_scheduled_events', filter)).toEqual({
      count: 1,
      events: [
        expect.objectContaining({
          id: Object(later).event_id,
          webhook_conf: '{{HOOK}}/once',
          scheduled_time: '2040-01-01T08:00:00.25Z',
          payload: { a: 1 },
          header_conf: EVENT.headers,
          status: 'scheduled',
          tries: 0,
          created_at: time,
          next_retry_at: null,
        }),
      ],
    })
    const invocations = await runMetadataCommand(one, 'get_scheduled_event_invocations', {
      type: 'one_off',
      event_id: Object(creation).event_id,
    })
    expect(invocations).toEqual({
      invocations: [
        {
          id: expect.any(String),
          event_id: Object(creation).event_id,
          status: 200,
          request: expect.objectContaining({
            version: '1',
            headers: expect.arrayContaining(EVENT.headers),
          }),
          response: expect.any(Object),
          created_at: time,
        },
      ],
    })
    expect(scheduling.hook.received).toHaveLength(1)
  })

  test('a deleted scheduled event is no longer listed', async () => {
    const one = await scheduling.engine()
    const { event_id } = Object(await create(one, { schedule_at: '2040-01-01T00:00:00Z' }))
    const which = { type: 'one_off', event_id }
    expect(await runMetadataCommand(one, 'delete_scheduled_event', which)).toEqual({
      message: 'success',
    })
    expect(await runMetadataCommand(one, 'get_scheduled_events', { type: 'one_off' })).toEqual({
      events: [],
    })
  })

  test('a scheduled event is retried as configured, and is dead if it is too late', async () => {
    const one = await scheduling.engine()
    scheduling.reply = () => ({ status: 500 })
    await create(one, { retry_conf: { num_retries: 1, retry_interval_seconds: 0 } })
    await create(one, { schedule_at: '2020-01-01T00:00:00Z' })
    await scheduling.pollRows(`${STATUS} order by status`).toEqual([
      { status: 'dead', tries: 0 },
      { status: 'error', tries: 2 },
    ])
    expect(scheduling.hook.received).toHaveLength(2)
  })

  test('a scheduled event with an unset variable has that error in its log', async () => {
    const one = await scheduling.engine()
    await create(one, { headers: [{ name: 'x', value_from_env: 'NOBODY' }] })
    await scheduling.pollRows(STATUS).toEqual([{ status: 'error', tries: 1 }])
    expect(
      await runMetadataCommand(one, 'get_scheduled_event_invocations', { type: 'one_off' }),
    ).toMatchObject({
      invocations: [{ response: { data: { message: "environment variable 'NOBODY' not set" } } }],
    })
    expect(scheduling.hook.received).toHaveLength(0)
  })

  test('after two engines were killed during deliveries, each scheduled event is delivered once more', async () => {
    const [first, second] = [
      await scheduling.startEngineProcess(),
      await scheduling.startEngineProcess(),
    ]
    const never = new Promise(() => {})
    scheduling.reply = (nth) => (nth <= 2 ? { status: 200, after: never } : { status: 200 })
    await scheduling.db.query(`insert into hdb_catalog.hdb_scheduled_events (webhook_conf, scheduled_time)
      select '"{{HOOK}}/once"', now() from generate_series(1, 2)`)
    await scheduling.hook.waitForRequests(2)
    // Both are killed together, since a surviving engine would deliver the other's event.
    await Promise.all([first.stop('SIGKILL'), second.stop('SIGKILL')])
    await Promise.all([scheduling.engine(), scheduling.engine()])
    await scheduling.pollRows(STATUS).toEqual(Array(2).fill({ status: 'delivered', tries: 1 }))
    expect(scheduling.hook.received).toHaveLength(4)
  })

  test.each([
    ['2040-01-01 15:44 Z', '2040-01-01T15:44:00Z'],
    ['2040-01-01T15:46Z', '2040-01-01T15:46:00Z'],
    ['2040-01-01T15:47:00.5+0530', '2040-01-01T10:17:00.5Z'],
    ['2040-01-01T15:48:00-05', '2040-01-01T20:48:00Z'],
  ])('a scheduled event accepts the time %s', async (schedule_at, scheduled_time) => {
    const one = await scheduling.engine()
    await create(one, { schedule_at })
    expect(
      await runMetadataCommand(one, 'get_scheduled_events', { type: 'one_off' }),
    ).toMatchObject({
      events: [{ scheduled_time }],
    })
  })

  test("a scheduled event's request and response are transformed", async () => {
    const one = await scheduling.engine()
    const template = (text: string) => ({
      version: 2,
      body: { action: 'transform', template: text },
    })
    scheduling.reply = () => ({ status: 200, body: { ok: 1 } })
    await create(one, {
      payload: { digits: 1 },
      request_transform: template(
        '{"only": {{$body.payload.digits}}, "by": {{$session_variables}}}',
      ),
      response_transform: template('{{$body.ok}}'),
    })
    const [request] = await scheduling.hook.waitForRequests(1)
    expect(request?.body).toEqual({ only: 1, by: null })
    await scheduling.pollRows(STATUS).toEqual([{ status: 'delivered', tries: 1 }])
    const log = await runMetadataCommand(one, 'get_scheduled_event_invocations', {
      type: 'one_off',
    })
    expect(log).toMatchObject({
      invocations: [{ request: { payload: { only: 1 } }, response: { data: { body: '1' } } }],
    })
  })

  test('a scheduled event fails without a request if its request cannot be transformed', async () => {
    const one = await scheduling.engine()
    const request_transform = {
      version: 2,
      body: { action: 'transform', template: '{{$body.none}}' },
    }
    await create(one, { request_transform })
    await scheduling.pollRows(STATUS).toEqual([{ status: 'error', tries: 0 }])
    expect(scheduling.hook.received).toHaveLength(0)
  })

  test.each([
    ['an invalid time', { schedule_at: 'soon' }, '$.args.schedule_at'],
    ['no webhook', { webhook: null }, '$.args.webhook'],
    ['negative num_retries', { retry_conf: { num_retries: -1 } }, '$.args.retry_conf'],
    ['an impossible date', { schedule_at: '2040-02-31T00:00Z' }, '$.args.schedule_at'],
  ])('a scheduled event with %s is rejected', async (_what, wrong, path) => {
    expect(await create(await scheduling.engine(), wrong)).toMatchObject({
      code: 'parse-failed',
      path,
    })
  })

  test('the name of a cron trigger selects the events to list', async () => {
    const one = await scheduling.engine()
    await one.post('/v1/metadata', withCron())
    await scheduling
      .pollRows(`select count(*)::int from hdb_catalog.hdb_cron_events`)
      .toEqual([{ count: 100 }])
    const cron = { type: 'cron', trigger_name: 'nightly' }
    const filter = { ...cron, limit: 1, offset: 1, get_rows_count: true }
    expect(await runMetadataCommand(one, 'get_scheduled_events', filter)).toEqual({
      count: 100,
      events: [
        {
          id: expect.any(String),
          trigger_name: 'nightly',
          scheduled_time: expect.stringMatching(/T03:00:00Z$/),
          status: 'scheduled',
          tries: 0,
          created_at: expect.any(String),
          next_retry_at: null,
        },
      ],
    })
    expect(await runMetadataCommand(one, 'get_scheduled_event_invocations', cron)).toEqual({
      invocations: [],
    })
    const other = { type: 'cron', trigger_name: 'nobody' }
    expect(await runMetadataCommand(one, 'get_scheduled_events', other)).toMatchObject({
      code: 'not-exists',
      path: '$.args',
    })
    expect(await runMetadataCommand(one, 'get_cron_triggers', {})).toMatchObject({
      cron_triggers: [
        {
          ...CRON,
          include_in_metadata: true,
          retry_conf: {
            num_retries: 0,
            retry_interval_seconds: 10,
            timeout_seconds: 60,
            tolerance_seconds: 21600,
          },
        },
      ],
    })
  })
})
