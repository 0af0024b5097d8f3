import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, database } from '../database.ts'
import { metadata, replace, runSql, table } from './metadata.ts'
import { type Receiver, type Replied, receiver } from './receiver.ts'
import { type RunningEngine, startEngine } from './start-engine.ts'

let db: Database
let hook: Receiver
let engines: RunningEngine[]
let reply: (nth: number) => Replied

beforeEach(async () => {
  db = await database()
  reply = () => ({ status: 200 })
  hook = await receiver((_request, nth) => reply(nth))
  engines = []
})

afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.stop()))
  await hook.close()
  await db.drop()
})

async function engine(): Promise<RunningEngine> {
  const started = await startEngine(db.url, {
    ENGINE_CRON_DELIVER_INTERVAL_MS: '50',
    HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: '50',
    HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: '50',
    HOOK: hook.url,
    SECRET: 'from the environment',
  })
  engines.push(started)
  return started
}

/** Polls the database until it says so. */
function until(sql: string) {
  return expect.poll(async () => (await db.query(sql)).rows, { timeout: 15_000, interval: 50 })
}

const CRON = {
  name: 'nightly',
  webhook: '{{HOOK}}/nightly',
  schedule: '0 3 * * *',
  payload: { a: 1 },
  comment: 'why',
  headers: [{ name: 'secret', value_from_env: 'SECRET' }],
}

function withCron(retry_conf: object = {}) {
  return replace(metadata([], { cron_triggers: [{ ...CRON, retry_conf }] }))
}

const DUE = `insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
  values ('nightly', date_trunc('second', now()) - interval '1 minute')`

const STATUS = `select status, tries from hdb_catalog.hdb_cron_events where scheduled_time < now()`

describe('a cron trigger', () => {
  test('has its next hundred events in the table, at the times of UTC', async () => {
    const one = await engine()
    await one.post('/v1/metadata', withCron())
    const all = `select count(*)::int, min(to_char(scheduled_time at time zone 'utc', 'HH24:MI')) as first
      from hdb_catalog.hdb_cron_events where status = 'scheduled'`
    await until(all).toEqual([{ count: 100, first: '03:00' }])
    const changed = { ...CRON, schedule: '30 4 * * *' }
    await one.post('/v1/metadata', replace(metadata([], { cron_triggers: [changed] })))
    await until(all).toEqual([{ count: 100, first: '04:30' }])
    await one.post('/v1/metadata', replace(metadata([])))
    await until(all).toEqual([{ count: 0, first: null }])
  })

  test('posts what is due, once, and keeps a log', async () => {
    const one = await engine()
    await one.post('/v1/metadata', withCron())
    await db.query(DUE)
    const [request] = await hook.count(1)
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
    await until(STATUS).toEqual([{ status: 'delivered', tries: 1 }])
    const log = `select status, request -> 'headers' as headers from hdb_catalog.hdb_cron_event_invocation_logs`
    await until(log).toEqual([{ status: 200, headers: [{ name: 'secret', value: null }] }])
    expect(hook.received).toHaveLength(1)
  })

  test('without payload and comment says null for the one and nothing of the other', async () => {
    const one = await engine()
    const { name, webhook, schedule } = CRON
    const bare = { name, webhook, schedule, include_in_metadata: true }
    await one.post('/v1/metadata', replace(metadata([], { cron_triggers: [bare] })))
    await db.query(DUE)
    const [request] = await hook.count(1)
    expect(request?.body).toEqual({
      id: expect.any(String),
      name: 'nightly',
      scheduled_time: expect.any(String),
      payload: null,
    })
  })

  test('tries again as often as it is told, then gives up', async () => {
    const one = await engine()
    await one.post('/v1/metadata', withCron({ num_retries: 2, retry_interval_seconds: 0 }))
    reply = () => ({ status: 500 })
    await db.query(DUE)
    await until(STATUS).toEqual([{ status: 'error', tries: 3 }])
    expect(hook.received).toHaveLength(3)
  })

  test('tries again when the receiver asks for it', async () => {
    const one = await engine()
    await one.post('/v1/metadata', withCron())
    reply = (nth) =>
      nth === 1 ? { status: 503, headers: { 'retry-after': '1' } } : { status: 200 }
    await db.query(DUE)
    await until(STATUS).toEqual([{ status: 'delivered', tries: 2 }])
  })

  test('that comes too late is dead, without a call', async () => {
    const one = await engine()
    await one.post('/v1/metadata', withCron({ tolerance_seconds: 30 }))
    await db.query(DUE)
    await until(STATUS).toEqual([{ status: 'dead', tries: 0 }])
    expect(hook.received).toHaveLength(0)
  })

  test.each([
    ['a schedule of six parts', { schedule: '* * * * * *' }],
    ['a schedule that is none', { schedule: '61 * * * *' }],
    ['a variable that is not set', { webhook: '{{NOBODY}}/' }],
  ])('with %s is inconsistent, by its name', async (_what, wrong) => {
    const one = await engine()
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

describe('a scheduled event', () => {
  const EVENT = {
    webhook: '{{HOOK}}/once',
    payload: { a: 1 },
    headers: [{ name: 'secret', value_from_env: 'SECRET' }],
    comment: 'why',
  }
  const command = async (one: RunningEngine, type: string, args: object) =>
    (await one.post('/v1/metadata', { type, args })).body
  const create = (one: RunningEngine, rest: object = {}) =>
    command(one, 'create_scheduled_event', {
      ...EVENT,
      schedule_at: new Date().toISOString(),
      ...rest,
    })
  const STATUS = 'select status, tries from hdb_catalog.hdb_scheduled_events'

  test('is posted when its time has come, once, and its log can be read', async () => {
    const one = await engine()
    const at = '2040-01-01T10:00:00.25+02:00'
    const later = await create(one, { schedule_at: at })
    expect(later).toEqual({ message: 'success', event_id: expect.any(String) })
    const created = await create(one)
    const [request] = await hook.count(1)
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
    expect(created).toMatchObject({ event_id: Object(request?.body).id })
    await until(`${STATUS} order by status`).toEqual([
      { status: 'delivered', tries: 1 },
      { status: 'scheduled', tries: 0 },
    ])
    const asked = { type: 'one_off', status: ['scheduled'], get_rows_count: true }
    expect(await command(one, 'get_scheduled_events', asked)).toEqual({
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
    const invocations = await command(one, 'get_scheduled_event_invocations', {
      type: 'one_off',
      event_id: Object(created).event_id,
    })
    expect(invocations).toEqual({
      invocations: [
        {
          id: expect.any(String),
          event_id: Object(created).event_id,
          status: 200,
          request: expect.objectContaining({ headers: [{ name: 'secret', value: null }] }),
          response: expect.any(Object),
          created_at: time,
        },
      ],
    })
    expect(hook.received).toHaveLength(1)
  })

  test('that is deleted is never posted', async () => {
    const one = await engine()
    const { event_id } = Object(await create(one, { schedule_at: '2040-01-01T00:00:00Z' }))
    const which = { type: 'one_off', event_id }
    expect(await command(one, 'delete_scheduled_event', which)).toEqual({ message: 'success' })
    expect(await command(one, 'get_scheduled_events', { type: 'one_off' })).toEqual({ events: [] })
  })

  test('tries again as often as it is told, and comes too late as cron events do', async () => {
    const one = await engine()
    reply = () => ({ status: 500 })
    await create(one, { retry_conf: { num_retries: 1, retry_interval_seconds: 0 } })
    await create(one, { schedule_at: '2020-01-01T00:00:00Z' })
    await until(`${STATUS} order by status`).toEqual([
      { status: 'dead', tries: 0 },
      { status: 'error', tries: 2 },
    ])
    expect(hook.received).toHaveLength(2)
  })

  test('with a variable that is not set says so in its log', async () => {
    const one = await engine()
    await create(one, { headers: [{ name: 'x', value_from_env: 'NOBODY' }] })
    await until(STATUS).toEqual([{ status: 'error', tries: 1 }])
    expect(
      await command(one, 'get_scheduled_event_invocations', { type: 'one_off' }),
    ).toMatchObject({
      invocations: [{ response: { data: { message: "environment variable 'NOBODY' not set" } } }],
    })
    expect(hook.received).toHaveLength(0)
  })

  test('survives its engine being killed, and of two engines one delivers it', async () => {
    const [first] = [await engine(), await engine()]
    const never = new Promise(() => {})
    reply = (nth) => (nth <= 2 ? { status: 200, after: never } : { status: 200 })
    await db.query(`insert into hdb_catalog.hdb_scheduled_events (webhook_conf, scheduled_time)
      select '"{{HOOK}}/once"', now() from generate_series(1, 2)`)
    await hook.count(2)
    await first.stop('SIGKILL')
    await engines[1]?.stop('SIGKILL')
    await Promise.all([engine(), engine()])
    await until(STATUS).toEqual(Array(2).fill({ status: 'delivered', tries: 1 }))
    expect(hook.received).toHaveLength(4)
  })

  test.each([
    ['no time', { schedule_at: 'soon' }, '$.args.schedule_at'],
    ['no webhook', { webhook: null }, '$.args.webhook'],
  ])('with %s is refused', async (_what, wrong, path) => {
    expect(await create(await engine(), wrong)).toMatchObject({ code: 'parse-failed', path })
  })

  test('of a cron trigger is listed under its name', async () => {
    const one = await engine()
    await one.post('/v1/metadata', withCron())
    await until(`select count(*)::int from hdb_catalog.hdb_cron_events`).toEqual([{ count: 100 }])
    const cron = { type: 'cron', trigger_name: 'nightly' }
    const asked = { ...cron, limit: 1, offset: 1, get_rows_count: true }
    expect(await command(one, 'get_scheduled_events', asked)).toEqual({
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
    expect(await command(one, 'get_scheduled_event_invocations', cron)).toEqual({ invocations: [] })
    const other = { type: 'cron', trigger_name: 'nobody' }
    expect(await command(one, 'get_scheduled_events', other)).toMatchObject({
      code: 'not-exists',
      path: '$.args',
    })
    expect(await command(one, 'get_cron_triggers', {})).toMatchObject({
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

describe('an event in the hands of an engine that is killed', () => {
  test('is delivered by another, and one that is alive keeps its own', async () => {
    const first = await engine()
    await first.post('/v1/metadata', withCron())
    const never = new Promise(() => {})
    reply = (nth) => (nth === 1 ? { status: 200, after: never } : { status: 200 })
    await db.query(DUE)
    await hook.count(1)
    await until(STATUS).toEqual([{ status: 'locked', tries: 0 }])
    const second = await engine()
    await second.post('/v1/metadata', { type: 'reload_metadata', args: {} })
    await until(
      `select count(*)::int from pg_stat_activity where application_name = 'engine scheduler' and datname = current_database()`,
    ).toEqual([{ count: 2 }])
    expect(hook.received).toHaveLength(1)
    await first.stop('SIGKILL')
    await hook.count(2)
    await until(STATUS).toEqual([{ status: 'delivered', tries: 1 }])
    expect(hook.received).toHaveLength(2)
  })

  test('is delivered after a restart', async () => {
    const first = await engine()
    await first.post('/v1/metadata', withCron())
    const never = new Promise(() => {})
    reply = (nth) => (nth === 1 ? { status: 200, after: never } : { status: 200 })
    await db.query(DUE)
    await hook.count(1)
    await first.stop('SIGKILL')
    await engine()
    await until(STATUS).toEqual([{ status: 'delivered', tries: 1 }])
  })
})

test('two engines on one database deliver each of many events once', async () => {
  const [first, second] = [await engine(), await engine()]
  await first.post('/v1/metadata', withCron())
  await second.post('/v1/metadata', withCron())
  await db.query(`insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
    select 'nightly', now() - n * interval '1 second' from generate_series(1, 300) n`)
  await until(`select status, count(*)::int from hdb_catalog.hdb_cron_events
    where scheduled_time < now() group by status`).toEqual([{ status: 'delivered', count: 300 }])
  expect(hook.received).toHaveLength(300)
})

describe('an event trigger', () => {
  const TRIGGER = {
    name: 'note_changed',
    definition: {
      enable_manual: true,
      insert: { columns: '*' },
      update: { columns: ['text'], payload: ['id', 'text'] },
      delete: { columns: ['id'] },
    },
    webhook: '{{HOOK}}/notes',
    retry_conf: { num_retries: 1, interval_sec: 0, timeout_sec: 5 },
  }
  const withTrigger = (trigger: object) =>
    replace(metadata([table('note', { event_triggers: [trigger] })]))

  async function watching(trigger: object = TRIGGER): Promise<RunningEngine> {
    const one = await engine()
    await one.post(
      '/v2/query',
      runSql('create table note (id int primary key, text text, other text)'),
    )
    await one.post('/v1/metadata', withTrigger(trigger))
    await until(`select count(*)::int from pg_trigger where tgname like 'notify_hasura%'`).toEqual([
      { count: Object.keys(TRIGGER.definition).length - 1 },
    ])
    return one
  }

  test('tells of inserts, of updates of the columns it listens to, and of deletes', async () => {
    await watching()
    await db.query(`insert into note values (1, 'a', 'b')`)
    await db.query(`update note set other = 'c'`)
    await db.query(`update note set text = 'd'`)
    await db.query(`delete from note`)
    await hook.count(3)
    await until(`select delivered, tries from hdb_catalog.event_log`).toEqual(
      Array(3).fill({ delivered: true, tries: 1 }),
    )
    const events = hook.received.map(({ body }) => body)
    expect(events).toContainEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      trigger: { name: 'note_changed' },
      table: { schema: 'public', name: 'note' },
      event: {
        op: 'INSERT',
        data: { old: null, new: { id: 1, text: 'a', other: 'b' } },
        session_variables: null,
        trace_context: null,
      },
      delivery_info: { current_retry: 0, max_retries: 1 },
    })
    const event = (op: string, data: object) =>
      expect.objectContaining({ event: expect.objectContaining({ op, data }) })
    expect(events).toContainEqual(
      event('UPDATE', { old: { id: 1, text: 'a' }, new: { id: 1, text: 'd' } }),
    )
    expect(events).toContainEqual(event('DELETE', { old: { id: 1 }, new: null }))
  })

  test('knows who made the change', async () => {
    const one = await watching()
    await one.graphql(
      'mutation { insert_note_one(object: {id: 1}) { id } }',
      {},
      { 'x-hasura-user-id': 'ada' },
    )
    const [request] = await hook.count(1)
    expect(request).toMatchObject({
      body: {
        event: { session_variables: { 'x-hasura-role': 'admin', 'x-hasura-user-id': 'ada' } },
      },
    })
  })

  test('of a change that was rolled back tells nothing', async () => {
    await watching()
    await db.query('begin')
    await db.query('insert into note values (1)')
    await db.query('rollback')
    await db.query('insert into note values (2)')
    await hook.count(1)
    await until('select count(*)::int from hdb_catalog.event_log').toEqual([{ count: 1 }])
  })

  test('tries again, then gives up', async () => {
    await watching()
    reply = () => ({ status: 500 })
    await db.query('insert into note values (1)')
    await until('select error, tries from hdb_catalog.event_log').toEqual([
      { error: true, tries: 2 },
    ])
  })

  test('is set off by hand, and an event that is over goes out again', async () => {
    const one = await watching()
    const invoke = {
      type: 'pg_invoke_event_trigger',
      args: { name: 'note_changed', payload: { x: 1 } },
    }
    const { body } = await one.post('/v1/metadata', invoke)
    const [request] = await hook.count(1)
    expect(request).toMatchObject({
      body: { event: { op: 'MANUAL', data: { old: null, new: { x: 1 } } } },
    })
    await until('select delivered from hdb_catalog.event_log').toEqual([{ delivered: true }])
    const again = await one.post('/v1/metadata', { type: 'pg_redeliver_event', args: body })
    expect(again.body).toEqual({ message: 'success' })
    await hook.count(2)
    const nobody = { type: 'pg_redeliver_event', args: { event_id: 'nobody' } }
    expect((await one.post('/v1/metadata', nobody)).body).toMatchObject({ code: 'not-exists' })
  })

  test('has logs that can be read', async () => {
    const one = await watching()
    const command = async (type: string, args: object) =>
      (await one.post('/v1/metadata', { type, args })).body
    reply = () => ({ status: 500, body: 'no' })
    await db.query(`insert into note values (1, 'a', 'b')`)
    await until('select error, tries from hdb_catalog.event_log').toEqual([
      { error: true, tries: 2 },
    ])
    const utc = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    const event = {
      id: expect.any(String),
      schema_name: 'public',
      table_name: 'note',
      trigger_name: 'note_changed',
      payload: expect.objectContaining({ op: 'INSERT' }),
      delivered: false,
      error: true,
      tries: 2,
      created_at: utc,
      locked: null,
      next_retry_at: null,
      archived: false,
    }
    const name = 'note_changed'
    expect(await command('pg_get_event_logs', { name })).toEqual([event])
    expect(await command('pg_get_event_logs', { name, status: 'processed' })).toEqual([event])
    expect(await command('pg_get_event_logs', { name, status: 'pending' })).toEqual([])
    const invocation = {
      id: expect.any(String),
      trigger_name: name,
      event_id: expect.any(String),
      http_status: 500,
      request: expect.objectContaining({ version: '2' }),
      response: expect.objectContaining({ data: expect.objectContaining({ body: 'no' }) }),
      created_at: utc,
    }
    const logs = await command('pg_get_event_invocation_logs', { name })
    expect(logs).toEqual([invocation, invocation])
    const { rows } = await db.query('select id as event_id from hdb_catalog.event_log')
    const page = { ...rows[0], invocation_log_limit: 1, invocation_log_offset: 1 }
    expect(await command('pg_get_event_by_id', page)).toEqual({ event, invocations: [invocation] })
    const missing = { code: 'not-exists', path: '$.args' }
    expect(await command('pg_get_event_by_id', { event_id: 'none' })).toEqual({
      ...missing,
      error: 'event id none does not exist',
    })
    for (const type of ['pg_get_event_logs', 'pg_get_event_invocation_logs'])
      expect(await command(type, { name: 'none' })).toEqual({
        ...missing,
        error: 'event trigger "none" does not exist',
      })
  })

  test('goes when it is taken out of the metadata', async () => {
    const one = await watching()
    await one.post('/v1/metadata', replace(metadata([table('note')])))
    await until(`select count(*)::int from pg_trigger where tgname like 'notify_hasura%'`).toEqual([
      { count: 0 },
    ])
  })

  test('survives its engine being killed in the middle of a delivery', async () => {
    const one = await watching()
    const never = new Promise(() => {})
    reply = (nth) => (nth === 1 ? { status: 200, after: never } : { status: 200 })
    await db.query('insert into note values (1)')
    await hook.count(1)
    await one.stop('SIGKILL')
    await engine()
    await until('select delivered, tries from hdb_catalog.event_log').toEqual([
      { delivered: true, tries: 1 },
    ])
    expect(hook.received).toHaveLength(2)
  })

  test('with names that need quoting works too', async () => {
    const one = await engine()
    await one.post(
      '/v2/query',
      runSql(`create table "no""te's" (id int primary key, "a 'b' $_x$" text)`),
    )
    const { name, webhook } = TRIGGER
    const trigger = { name, webhook, definition: { insert: { columns: '*' } } }
    const configuration = {
      custom_name: 'note',
      column_config: { "a 'b' $_x$": { custom_name: 'a' } },
    }
    const odd = table(`no"te's`, { event_triggers: [trigger], configuration })
    await one.post('/v1/metadata', replace(metadata([odd])))
    await until(`select count(*)::int from pg_trigger where tgname like 'notify_hasura%'`).toEqual([
      { count: 1 },
    ])
    await db.query(`insert into "no""te's" values (1, 'x')`)
    const [request] = await hook.count(1)
    expect(request).toMatchObject({
      body: { event: { data: { new: { id: 1, "a 'b' $_x$": 'x' } } } },
    })
  })
})
