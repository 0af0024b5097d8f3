import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import {
  NOTE_CHANGED,
  type Scheduling,
  startScheduling,
  watchNotes,
  withTrigger,
} from '../support/scheduler.ts'

let scheduling: Scheduling

beforeEach(async () => {
  scheduling = await startScheduling()
})
afterEach(() => scheduling?.stop())

describe('event triggers observe changes of rows', () => {
  test('an event trigger observes changes once its command has returned, and no changes after its removal', async () => {
    const one = await scheduling.engine()
    await one.post('/v2/query', runSql('create table note (id int primary key, text text)'))
    await one.post('/v1/metadata', withTrigger(NOTE_CHANGED))
    await scheduling.db.query(`insert into note values (1, 'a')`)
    await one.post('/v1/metadata', replace(metadata([table('note')])))
    await scheduling.db.query(`insert into note values (2, 'b')`)
    const { rows } = await scheduling.db.query(
      `select payload -> 'data' -> 'new' -> 'id' as id from hdb_catalog.event_log`,
    )
    expect(rows).toEqual([{ id: 1 }])
  })

  test('an event trigger works on a table that is left out of the schema', async () => {
    const one = await scheduling.engine()
    await scheduling.db.query('create table "daily-report" (id int primary key, text text)')
    const dailyReport = table('daily-report', { event_triggers: [NOTE_CHANGED] })
    await one.post('/v1/metadata', replace(metadata([dailyReport])))
    await scheduling.db.query('insert into "daily-report" values (1)')
    const [request] = await scheduling.hook.waitForRequests(1)
    expect(request?.body).toMatchObject({ table: { schema: 'public', name: 'daily-report' } })
  })

  test('a change that was rolled back sends no event', async () => {
    await watchNotes(scheduling)
    await scheduling.db.query('begin')
    await scheduling.db.query('insert into note values (1)')
    await scheduling.db.query('rollback')
    await scheduling.db.query('insert into note values (2)')
    await scheduling.hook.waitForRequests(1)
    await scheduling
      .pollRows('select count(*)::int from hdb_catalog.event_log')
      .toEqual([{ count: 1 }])
  })

  test('an event trigger can be invoked by hand, and a delivered event can be sent again', async () => {
    const one = await watchNotes(scheduling)
    const invoke = {
      type: 'pg_invoke_event_trigger',
      args: { name: 'note_changed', payload: { x: 1 } },
    }
    const { body } = await one.post('/v1/metadata', invoke)
    const [request] = await scheduling.hook.waitForRequests(1)
    expect(request).toMatchObject({
      body: { event: { op: 'MANUAL', data: { old: null, new: { x: 1 } } } },
    })
    await scheduling
      .pollRows('select delivered from hdb_catalog.event_log')
      .toEqual([{ delivered: true }])
    const redelivery = await one.post('/v1/metadata', { type: 'pg_redeliver_event', args: body })
    expect(redelivery.body).toEqual({ message: 'success' })
    await scheduling.hook.waitForRequests(2)
    const nobody = { type: 'pg_redeliver_event', args: { event_id: 'nobody' } }
    expect((await one.post('/v1/metadata', nobody)).body).toMatchObject({ code: 'not-exists' })
  })

  test('removing an event trigger from the metadata removes it from the database', async () => {
    const one = await watchNotes(scheduling)
    await one.post('/v1/metadata', replace(metadata([table('note')])))
    await scheduling
      .pollRows(`select count(*)::int from pg_trigger where tgname like 'notify_hasura%'`)
      .toEqual([{ count: 0 }])
  })

  test('an event is delivered again after its engine was killed during the delivery', async () => {
    const one = await scheduling.startEngineProcess()
    await watchNotes(scheduling, NOTE_CHANGED, one)
    const never = new Promise(() => {})
    scheduling.reply = (nth) => (nth === 1 ? { status: 200, after: never } : { status: 200 })
    await scheduling.db.query('insert into note values (1)')
    await scheduling.hook.waitForRequests(1)
    await one.stop('SIGKILL')
    await scheduling.engine()
    await scheduling
      .pollRows('select delivered, tries from hdb_catalog.event_log')
      .toEqual([{ delivered: true, tries: 1 }])
    expect(scheduling.hook.received).toHaveLength(2)
  })

  test('an event trigger on a view can be created only for invocation by hand', async () => {
    const one = await scheduling.engine()
    await one.post('/v2/query', runSql('create view seen as select 1 as id'))
    await one.post('/v1/metadata', replace(metadata([table('seen')])))
    const create = (name: string, operations: object) =>
      one.post('/v1/metadata', {
        type: 'pg_create_event_trigger',
        args: { name, table: 'seen', webhook: NOTE_CHANGED.webhook, ...operations },
      })
    expect(await create('rows', { insert: { columns: '*' } })).toMatchObject({
      status: 400,
      body: { code: 'invalid-configuration', internal: [{ type: 'event_trigger' }] },
    })
    expect(await create('hand', { enable_manual: true })).toMatchObject({ status: 200 })
  })

  test('an event trigger can only replace an event trigger of the same table', async () => {
    const one = await watchNotes(scheduling)
    await one.post('/v2/query', runSql('create table other (id int)'))
    await one.post('/v1/metadata', { type: 'pg_track_table', args: { table: 'other' } })
    const args = {
      name: NOTE_CHANGED.name,
      webhook: NOTE_CHANGED.webhook,
      enable_manual: true,
      replace: true,
    }
    const put = (changes: object) =>
      one.post('/v1/metadata', {
        type: 'pg_create_event_trigger',
        args: { ...args, ...changes },
      })
    expect(await put({ table: 'other' })).toMatchObject({ body: { code: 'not-supported' } })
    expect(await put({ table: 'other', name: 'no_such' })).toMatchObject({
      body: { code: 'not-exists' },
    })
    expect(await put({ table: 'note' })).toMatchObject({ status: 200 })
  })

  test('two event triggers of one name are rejected in replaced metadata', async () => {
    const one = await watchNotes(scheduling)
    const tables = ['note', 'other'].map((name) => table(name, { event_triggers: [NOTE_CHANGED] }))
    const replacement = await one.post('/v1/metadata', {
      type: 'replace_metadata',
      version: 2,
      args: { allow_inconsistent_metadata: true, metadata: metadata(tables) },
    })
    expect(replacement).toMatchObject({
      status: 400,
      body: { code: 'not-supported', path: '$.args' },
    })
  })

  test('an event that is being delivered cannot be sent again', async () => {
    const one = await watchNotes(scheduling)
    const redelivery = (event_id: string) =>
      one.post('/v1/metadata', { type: 'pg_redeliver_event', args: { event_id } })
    await scheduling.db.query(`insert into hdb_catalog.event_log
        (id, schema_name, table_name, trigger_name, payload, locked)
      values ('held', 'public', 'note', 'note_changed', '{}', now())`)
    expect(await redelivery('held')).toMatchObject({ status: 400, body: { code: 'busy' } })
    expect(await redelivery('gone')).toMatchObject({ status: 400, body: { code: 'not-exists' } })
  })
})
