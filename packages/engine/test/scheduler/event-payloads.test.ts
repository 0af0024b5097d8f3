import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import {
  NOTE_CHANGED,
  type Scheduling,
  startScheduling,
  watchNotes,
  withTrigger,
} from '../support/scheduler.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let scheduling: Scheduling

beforeEach(async () => {
  scheduling = await startScheduling()
})
afterEach(() => scheduling?.stop())

describe("events of event triggers have Hasura's payload", () => {
  test('an event trigger works with names that need quoting', async () => {
    const one = await scheduling.engine()
    await one.post(
      '/v2/query',
      // The GraphQL schema contains the constraint's name, so the name must be valid in GraphQL.
      runSql(`create table "no""te's" (id int constraint note_key primary key, "a 'b' $_x$" text)`),
    )
    const { name, webhook } = NOTE_CHANGED
    const trigger = { name, webhook, definition: { insert: { columns: '*' } } }
    const configuration = {
      custom_name: 'note',
      column_config: { "a 'b' $_x$": { custom_name: 'a' } },
    }
    const odd = table(`no"te's`, { event_triggers: [trigger], configuration })
    await one.post('/v1/metadata', replace(metadata([odd])))
    await scheduling
      .pollRows(`select count(*)::int from pg_trigger where tgname like 'notify_hasura%'`)
      .toEqual([{ count: 1 }])
    await scheduling.db.query(`insert into "no""te's" values (1, 'x')`)
    const [request] = await scheduling.hook.waitForRequests(1)
    expect(request).toMatchObject({
      body: { event: { data: { new: { id: 1, "a 'b' $_x$": 'x' } } } },
    })
  })

  test('an event of all columns has the columns that exist at the change', async () => {
    await watchNotes(scheduling, {
      ...NOTE_CHANGED,
      definition: { insert: { columns: '*' }, update: { columns: '*' } },
    })
    await scheduling.db.query(`alter table note drop column other, add column extra int default 7`)
    await scheduling.db.query(`insert into note values (1, 'a')`)
    await scheduling.db.query(`update note set extra = 8`)
    await scheduling.hook.waitForRequests(2)
    await scheduling
      .pollRows(`select payload -> 'data' as data from hdb_catalog.event_log order by created_at`)
      .toEqual([
        { data: { old: null, new: { id: 1, text: 'a', extra: 7 } } },
        { data: { old: { id: 1, text: 'a', extra: 7 }, new: { id: 1, text: 'a', extra: 8 } } },
      ])
  })

  test('an event of a partitioned table names that table, not the partition', async () => {
    const one = await scheduling.engine()
    await one.post(
      '/v2/query',
      runSql(`create table note (id int, text text) partition by list (id);
        create table first_note partition of note for values in (1)`),
    )
    const definition = { insert: { columns: '*' } }
    await one.post('/v1/metadata', withTrigger({ ...NOTE_CHANGED, definition }))
    await scheduling.db.query(`insert into note values (1, 'a')`)
    const [request] = await scheduling.hook.waitForRequests(1)
    expect(request).toMatchObject({ body: { table: { schema: 'public', name: 'note' } } })
  })

  test("created_at is in UTC, whatever the writer's time zone", async () => {
    await watchNotes(scheduling)
    await scheduling.db.query(
      `set time zone 'Asia/Kolkata'; insert into note values (1, 'a'); reset time zone`,
    )
    await scheduling
      .pollRows(`select (now() at time zone 'utc') - created_at < '1 minute' and
          created_at <= now() at time zone 'utc' as fits from hdb_catalog.event_log`)
      .toEqual([{ fits: true }])
  })

  test('the database trigger also fires on replication if trigger_on_replication is set', async () => {
    const modes = `select tgenabled as mode from pg_trigger where tgname = 'notify_hasura_note_changed_INSERT'`
    const definition = { insert: { columns: '*' } }
    const one = await watchNotes(scheduling, {
      ...NOTE_CHANGED,
      definition,
      trigger_on_replication: true,
    })
    await scheduling.pollRows(modes).toEqual([{ mode: 'A' }])
    await one.post('/v1/metadata', withTrigger({ ...NOTE_CHANGED, definition }))
    await scheduling.pollRows(modes).toEqual([{ mode: 'O' }])
  })

  test('an event has the session of the mutation', async () => {
    const one = await watchNotes(scheduling)
    await one.graphql(
      'mutation { insert_note_one(object: {id: 1}) { id } }',
      {},
      { 'x-hasura-user-id': 'ada' },
    )
    const [request] = await scheduling.hook.waitForRequests(1)
    expect(request).toMatchObject({
      body: {
        event: { session_variables: { 'x-hasura-role': 'admin', 'x-hasura-user-id': 'ada' } },
      },
    })
  })

  test('events are written for inserts, updates of observed columns and deletes', async () => {
    await watchNotes(scheduling)
    await scheduling.db.query(`insert into note values (1, 'a', 'b')`)
    await scheduling.db.query(`update note set other = 'c'`)
    await scheduling.db.query(`update note set text = 'd'`)
    await scheduling.db.query(`delete from note`)
    await scheduling.hook.waitForRequests(3)
    await scheduling
      .pollRows(`select delivered, tries from hdb_catalog.event_log`)
      .toEqual(Array(3).fill({ delivered: true, tries: 1 }))
    const events = scheduling.hook.received.map(({ body }) => body)
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

  test('a payload has all columns, even if the trigger observes only some columns', async () => {
    await watchNotes(scheduling, {
      ...NOTE_CHANGED,
      definition: { insert: { columns: ['id'] }, delete: { columns: ['id', 'text'] } },
    })
    await scheduling.db.query(`insert into note values (1, 'a', 'b')`)
    await scheduling.db.query('delete from note')
    const row = { id: 1, text: 'a', other: 'b' }
    await scheduling
      .pollRows(`select payload -> 'data' as data from hdb_catalog.event_log order by created_at`)
      .toEqual([{ data: { old: null, new: row } }, { data: { old: row, new: null } }])
  })

  const WIDE = `create table note (id bigint primary key, n numeric, f float8, i int, text text, many bigint[])`
  const CHANGE = `insert into note values (9007199254740993, 1.50, 0.1, 7, 'a', '{1}')`
  const columns = (payload: unknown) => ({ insert: { columns: '*', payload } })

  test('an event keeps the digits of numbers', async () => {
    const one = await scheduling.engine()
    await one.post('/v2/query', runSql(WIDE))
    await one.post('/v1/metadata', withTrigger({ ...NOTE_CHANGED, definition: columns('*') }))
    await scheduling.db.query(CHANGE)
    const [request] = await scheduling.hook.waitForRequests(1)
    expect(request?.text).toContain('{"f":0.1,"i":7,"n":1.50,"id":9007199254740993,')
  })

  test.each([
    [
      'all columns',
      '*',
      { id: '9007199254740993', n: '1.50', f: '0.1', i: 7, text: 'a', many: [1] },
    ],
    ['some columns', ['id', 'i', 'n'], { id: '9007199254740993', i: 7, n: '1.50' }],
  ])(
    'an event of %s has strings for numbers if numeric types are stringified',
    async (_what, payload, row) => {
      const one = await scheduling.engine({ HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true' })
      await one.post('/v2/query', runSql(WIDE))
      await one.post('/v1/metadata', withTrigger({ ...NOTE_CHANGED, definition: columns(payload) }))
      await scheduling.db.query(CHANGE)
      await scheduling.db.query(`insert into note (id) values (1)`)
      await scheduling.hook.waitForRequests(2)
      const rows = scheduling.hook.received.map(({ body }) => Object(body).event.data.new)
      expect(rows).toContainEqual(row)
      expect(rows).toContainEqual(expect.objectContaining({ id: '1', n: null }))
    },
  )

  test.each([
    ['B3', { 'x-b3-traceid': '463ac35c9f6413ad48485a3953bb6124' }, '1'],
    [
      'B3, not sampled',
      { 'x-b3-traceid': '463ac35c9f6413ad48485a3953bb6124', 'x-b3-sampled': '0' },
      '0',
    ],
    [
      'traceparent',
      { traceparent: '00-463ac35c9f6413ad48485a3953bb6124-0020000000000001-01' },
      '1',
    ],
    [
      'traceparent, not sampled',
      { traceparent: '00-463ac35c9f6413ad48485a3953bb6124-0020000000000001-00' },
      '0',
    ],
  ])(
    "an event continues the trace of the request's header %s",
    async (_what, headers, samplingState) => {
      const one = await watchNotes(scheduling)
      await follow(one, {
        status: 'enabled',
        exporter_otlp: { traces_propagators: ['tracecontext'] },
      })
      await one.graphql('mutation { insert_note_one(object: {id: 1}) { id } }', {}, headers)
      await one.post(
        '/v1/metadata',
        { type: 'pg_invoke_event_trigger', args: { name: 'note_changed', payload: {} } },
        headers,
      )
      await scheduling.hook.waitForRequests(2)
      for (const { body } of scheduling.hook.received)
        expect(body).toMatchObject({
          event: {
            trace_context: {
              trace_id: '463ac35c9f6413ad48485a3953bb6124',
              span_id: expect.stringMatching(/^[\da-f]{16}$/),
              sampling_state: samplingState,
            },
          },
        })
    },
  )

  test.each([
    ['nothing', undefined],
    ['disabled', { status: 'disabled', exporter_otlp: { traces_propagators: ['tracecontext'] } }],
    ['only B3', { status: 'enabled', exporter_otlp: {} }],
  ])(
    'an event has a new trace if opentelemetry is %s and the request has a traceparent',
    async (_what, telemetry) => {
      const one = await watchNotes(scheduling)
      await follow(one, telemetry)
      const traceId = '463ac35c9f6413ad48485a3953bb6124'
      await one.graphql(
        'mutation { insert_note_one(object: {id: 1}) { id } }',
        {},
        { traceparent: `00-${traceId}-0020000000000001-01` },
      )
      await scheduling.hook.waitForRequests(1)
      expect(scheduling.hook.received[0]?.body).toMatchObject({
        event: { trace_context: { trace_id: expect.not.stringMatching(traceId) } },
      })
    },
  )

  /** Sets in the metadata which trace headers are followed. */
  async function follow(one: ServedEngine, opentelemetry: object | undefined) {
    const exported = await one.post('/v1/metadata', { type: 'export_metadata', args: {} })
    const changed = replace({ ...Object(exported.body), opentelemetry })
    expect(await one.post('/v1/metadata', changed)).toMatchObject({ status: 200 })
  }

  test('an event continues a B3 trace with a short id, and has a new trace if the request has no valid trace header', async () => {
    const one = await watchNotes(scheduling)
    const insert = (ids: number[], headers: Record<string, string>) => {
      const objects = ids.map((id) => `{id: ${id}}`)
      return one.graphql(
        `mutation { insert_note(objects: [${objects}]) { affected_rows } }`,
        {},
        headers,
      )
    }
    await insert([1], { 'x-b3-traceid': '463ac35c9f6413ad' })
    await insert([2], { 'x-b3-traceid': `'; drop table note; --` })
    await insert([3, 4], {})
    const { rows } = await scheduling.db.query(
      `select payload -> 'trace_context' as trace from hdb_catalog.event_log
       order by payload #> '{data,new,id}'`,
    )
    const traces = rows.map(({ trace }) => trace)
    expect(traces[0]).toMatchObject({ trace_id: '463ac35c9f6413ad' })
    for (const newTrace of traces.slice(1))
      expect(newTrace).toEqual({
        trace_id: expect.stringMatching(/^[\da-f]{32}$/),
        span_id: expect.stringMatching(/^[\da-f]{16}$/),
        sampling_state: '1',
      })
    // Two events of one request have the same trace.
    expect(traces[3]).toEqual(traces[2])
    expect(new Set(traces.map(({ trace_id }) => trace_id)).size).toBe(3)
  })
})
