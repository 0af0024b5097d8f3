import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { metadata, replace, runSql, table } from '../metadata.ts'
import type { RunningEngine } from '../start-engine.ts'
import { type Scheduling, startScheduling } from './set-up.ts'

let on: Scheduling

beforeEach(async () => {
  on = await startScheduling()
})
afterEach(() => on?.stop())

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
    retry_conf: { num_retries: 1, interval_sec: 0, timeout_sec: 60 },
  }
  const withTrigger = (trigger: object) =>
    replace(metadata([table('note', { event_triggers: [trigger] })]))

  async function watching(trigger: object = TRIGGER): Promise<RunningEngine> {
    const one = await on.engine()
    await one.post(
      '/v2/query',
      runSql('create table note (id int primary key, text text, other text)'),
    )
    await one.post('/v1/metadata', withTrigger(trigger))
    return one
  }

  test('misses no change that is made after the answer to the command that makes it', async () => {
    const one = await on.engine()
    await one.post('/v2/query', runSql('create table note (id int primary key, text text)'))
    await one.post('/v1/metadata', withTrigger(TRIGGER))
    await on.db.query(`insert into note values (1, 'a')`)
    await one.post('/v1/metadata', replace(metadata([table('note')])))
    await on.db.query(`insert into note values (2, 'b')`)
    const { rows } = await on.db.query(
      `select payload -> 'data' -> 'new' -> 'id' as id from hdb_catalog.event_log`,
    )
    expect(rows).toEqual([{ id: 1 }])
  })

  test('tells of inserts, of updates of the columns it listens to, and of deletes', async () => {
    await watching()
    await on.db.query(`insert into note values (1, 'a', 'b')`)
    await on.db.query(`update note set other = 'c'`)
    await on.db.query(`update note set text = 'd'`)
    await on.db.query(`delete from note`)
    await on.hook.count(3)
    await on
      .until(`select delivered, tries from hdb_catalog.event_log`)
      .toEqual(Array(3).fill({ delivered: true, tries: 1 }))
    const events = on.hook.received.map(({ body }) => body)
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
    const [request] = await on.hook.count(1)
    expect(request).toMatchObject({
      body: {
        event: { session_variables: { 'x-hasura-role': 'admin', 'x-hasura-user-id': 'ada' } },
      },
    })
  })

  test('of a change that was rolled back tells nothing', async () => {
    await watching()
    await on.db.query('begin')
    await on.db.query('insert into note values (1)')
    await on.db.query('rollback')
    await on.db.query('insert into note values (2)')
    await on.hook.count(1)
    await on.until('select count(*)::int from hdb_catalog.event_log').toEqual([{ count: 1 }])
  })

  test('tries again, then gives up', async () => {
    await watching()
    on.reply = () => ({ status: 500 })
    await on.db.query('insert into note values (1)')
    await on
      .until('select error, tries from hdb_catalog.event_log')
      .toEqual([{ error: true, tries: 2 }])
  })

  test('is set off by hand, and an event that is over goes out again', async () => {
    const one = await watching()
    const invoke = {
      type: 'pg_invoke_event_trigger',
      args: { name: 'note_changed', payload: { x: 1 } },
    }
    const { body } = await one.post('/v1/metadata', invoke)
    const [request] = await on.hook.count(1)
    expect(request).toMatchObject({
      body: { event: { op: 'MANUAL', data: { old: null, new: { x: 1 } } } },
    })
    await on.until('select delivered from hdb_catalog.event_log').toEqual([{ delivered: true }])
    const again = await one.post('/v1/metadata', { type: 'pg_redeliver_event', args: body })
    expect(again.body).toEqual({ message: 'success' })
    await on.hook.count(2)
    const nobody = { type: 'pg_redeliver_event', args: { event_id: 'nobody' } }
    expect((await one.post('/v1/metadata', nobody)).body).toMatchObject({ code: 'not-exists' })
  })

  test('has logs that can be read', async () => {
    const one = await watching()
    const command = async (type: string, args: object) =>
      (await one.post('/v1/metadata', { type, args })).body
    on.reply = () => ({ status: 500, body: 'no' })
    await on.db.query(`insert into note values (1, 'a', 'b')`)
    await on
      .until('select error, tries from hdb_catalog.event_log')
      .toEqual([{ error: true, tries: 2 }])
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
    const { rows } = await on.db.query('select id as event_id from hdb_catalog.event_log')
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
    await on
      .until(`select count(*)::int from pg_trigger where tgname like 'notify_hasura%'`)
      .toEqual([{ count: 0 }])
  })

  test('survives its engine being killed in the middle of a delivery', async () => {
    const one = await watching()
    const never = new Promise(() => {})
    on.reply = (nth) => (nth === 1 ? { status: 200, after: never } : { status: 200 })
    await on.db.query('insert into note values (1)')
    await on.hook.count(1)
    await one.stop('SIGKILL')
    await on.engine()
    await on
      .until('select delivered, tries from hdb_catalog.event_log')
      .toEqual([{ delivered: true, tries: 1 }])
    expect(on.hook.received).toHaveLength(2)
  })

  test('with names that need quoting works too', async () => {
    const one = await on.engine()
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
    await on
      .until(`select count(*)::int from pg_trigger where tgname like 'notify_hasura%'`)
      .toEqual([{ count: 1 }])
    await on.db.query(`insert into "no""te's" values (1, 'x')`)
    const [request] = await on.hook.count(1)
    expect(request).toMatchObject({
      body: { event: { data: { new: { id: 1, "a 'b' $_x$": 'x' } } } },
    })
  })

  test('of all columns tells those that the table has by then', async () => {
    await watching({
      ...TRIGGER,
      definition: { insert: { columns: '*' }, update: { columns: '*' } },
    })
    await on.db.query(`alter table note drop column other, add column extra int default 7`)
    await on.db.query(`insert into note values (1, 'a')`)
    await on.db.query(`update note set extra = 8`)
    await on.hook.count(2)
    await on
      .until(`select payload -> 'data' as data from hdb_catalog.event_log order by created_at`)
      .toEqual([
        { data: { old: null, new: { id: 1, text: 'a', extra: 7 } } },
        { data: { old: { id: 1, text: 'a', extra: 7 }, new: { id: 1, text: 'a', extra: 8 } } },
      ])
  })

  test('of a partitioned table tells of that, not of the partition', async () => {
    const one = await on.engine()
    await one.post(
      '/v2/query',
      runSql(`create table note (id int, text text) partition by list (id);
        create table first_note partition of note for values in (1)`),
    )
    const definition = { insert: { columns: '*' } }
    await one.post('/v1/metadata', withTrigger({ ...TRIGGER, definition }))
    await on.db.query(`insert into note values (1, 'a')`)
    const [request] = await on.hook.count(1)
    expect(request).toMatchObject({ body: { table: { schema: 'public', name: 'note' } } })
  })

  test('says in UTC when something happened, wherever its writer is', async () => {
    await watching()
    await on.db.query(
      `set time zone 'Asia/Kolkata'; insert into note values (1, 'a'); reset time zone`,
    )
    await on
      .until(`select (now() at time zone 'utc') - created_at < '1 minute' and
          created_at <= now() at time zone 'utc' as fits from hdb_catalog.event_log`)
      .toEqual([{ fits: true }])
  })

  test('hears of what replication writes when it shall', async () => {
    const modes = `select tgenabled as mode from pg_trigger where tgname = 'notify_hasura_note_changed_INSERT'`
    const definition = { insert: { columns: '*' } }
    const one = await watching({ ...TRIGGER, definition, trigger_on_replication: true })
    await on.until(modes).toEqual([{ mode: 'A' }])
    await one.post('/v1/metadata', withTrigger({ ...TRIGGER, definition }))
    await on.until(modes).toEqual([{ mode: 'O' }])
  })

  test('of a view can only be set off by hand', async () => {
    const one = await on.engine()
    await one.post('/v2/query', runSql('create view seen as select 1 as id'))
    await one.post('/v1/metadata', replace(metadata([table('seen')])))
    const create = (name: string, operations: object) =>
      one.post('/v1/metadata', {
        type: 'pg_create_event_trigger',
        args: { name, table: 'seen', webhook: TRIGGER.webhook, ...operations },
      })
    expect(await create('rows', { insert: { columns: '*' } })).toMatchObject({
      status: 400,
      body: { code: 'invalid-configuration', internal: [{ type: 'event_trigger' }] },
    })
    expect(await create('hand', { enable_manual: true })).toMatchObject({ status: 200 })
  })

  test('takes the place of another one on the same table only', async () => {
    const one = await watching()
    await one.post('/v2/query', runSql('create table other (id int)'))
    await one.post('/v1/metadata', { type: 'pg_track_table', args: { table: 'other' } })
    const args = {
      name: TRIGGER.name,
      webhook: TRIGGER.webhook,
      enable_manual: true,
      replace: true,
    }
    const put = (changed: object) =>
      one.post('/v1/metadata', {
        type: 'pg_create_event_trigger',
        args: { ...args, ...changed },
      })
    expect(await put({ table: 'other' })).toMatchObject({ body: { code: 'not-supported' } })
    expect(await put({ table: 'other', name: 'no_such' })).toMatchObject({
      body: { code: 'not-exists' },
    })
    expect(await put({ table: 'note' })).toMatchObject({ status: 200 })
  })

  test('has its name for itself in metadata that takes the place of all', async () => {
    const one = await watching()
    const twice = ['note', 'other'].map((name) => table(name, { event_triggers: [TRIGGER] }))
    const replaced = await one.post('/v1/metadata', {
      type: 'replace_metadata',
      version: 2,
      args: { allow_inconsistent_metadata: true, metadata: metadata(twice) },
    })
    expect(replaced).toMatchObject({ status: 400, body: { code: 'not-supported', path: '$.args' } })
  })

  test('an event that is being delivered is not delivered again', async () => {
    const one = await watching()
    const again = (event_id: string) =>
      one.post('/v1/metadata', { type: 'pg_redeliver_event', args: { event_id } })
    await on.db.query(`insert into hdb_catalog.event_log
        (id, schema_name, table_name, trigger_name, payload, locked)
      values ('held', 'public', 'note', 'note_changed', '{}', now())`)
    expect(await again('held')).toMatchObject({ status: 400, body: { code: 'busy' } })
    expect(await again('gone')).toMatchObject({ status: 400, body: { code: 'not-exists' } })
  })
})
