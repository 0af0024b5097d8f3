import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import {
  NOTE_CHANGED,
  type Scheduling,
  startScheduling,
  watching,
  withTrigger,
} from '../support/scheduler.ts'

let on: Scheduling

beforeEach(async () => {
  on = await startScheduling()
})
afterEach(() => on?.stop())

describe('an event trigger', () => {
  test('misses no change that is made after the answer to the command that makes it', async () => {
    const one = await on.engine()
    await one.post('/v2/query', runSql('create table note (id int primary key, text text)'))
    await one.post('/v1/metadata', withTrigger(NOTE_CHANGED))
    await on.db.query(`insert into note values (1, 'a')`)
    await one.post('/v1/metadata', replace(metadata([table('note')])))
    await on.db.query(`insert into note values (2, 'b')`)
    const { rows } = await on.db.query(
      `select payload -> 'data' -> 'new' -> 'id' as id from hdb_catalog.event_log`,
    )
    expect(rows).toEqual([{ id: 1 }])
  })

  test('works on a table that GraphQL does not have, since its name is none there', async () => {
    const one = await on.engine()
    await on.db.query('create table "daily-report" (id int primary key, text text)')
    const tracked = table('daily-report', { event_triggers: [NOTE_CHANGED] })
    await one.post('/v1/metadata', replace(metadata([tracked])))
    await on.db.query('insert into "daily-report" values (1)')
    const [request] = await on.hook.count(1)
    expect(request?.body).toMatchObject({ table: { schema: 'public', name: 'daily-report' } })
  })

  test('sends nothing about a change that was rolled back', async () => {
    await watching(on)
    await on.db.query('begin')
    await on.db.query('insert into note values (1)')
    await on.db.query('rollback')
    await on.db.query('insert into note values (2)')
    await on.hook.count(1)
    await on.until('select count(*)::int from hdb_catalog.event_log').toEqual([{ count: 1 }])
  })

  test('is set off by hand, and an event that is over goes out again', async () => {
    const one = await watching(on)
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

  test('is removed from the database when it is removed from the metadata', async () => {
    const one = await watching(on)
    await one.post('/v1/metadata', replace(metadata([table('note')])))
    await on
      .until(`select count(*)::int from pg_trigger where tgname like 'notify_hasura%'`)
      .toEqual([{ count: 0 }])
  })

  test('survives its engine being killed in the middle of a delivery', async () => {
    const one = await on.engineToKill()
    await watching(on, NOTE_CHANGED, one)
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

  test('of a view can only be set off by hand', async () => {
    const one = await on.engine()
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

  test('takes the place of another one on the same table only', async () => {
    const one = await watching(on)
    await one.post('/v2/query', runSql('create table other (id int)'))
    await one.post('/v1/metadata', { type: 'pg_track_table', args: { table: 'other' } })
    const args = {
      name: NOTE_CHANGED.name,
      webhook: NOTE_CHANGED.webhook,
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

  test('must have a unique name in metadata that is replaced as a whole', async () => {
    const one = await watching(on)
    const twice = ['note', 'other'].map((name) => table(name, { event_triggers: [NOTE_CHANGED] }))
    const replaced = await one.post('/v1/metadata', {
      type: 'replace_metadata',
      version: 2,
      args: { allow_inconsistent_metadata: true, metadata: metadata(twice) },
    })
    expect(replaced).toMatchObject({ status: 400, body: { code: 'not-supported', path: '$.args' } })
  })

  test('an event that is being delivered is not delivered again', async () => {
    const one = await watching(on)
    const again = (event_id: string) =>
      one.post('/v1/metadata', { type: 'pg_redeliver_event', args: { event_id } })
    await on.db.query(`insert into hdb_catalog.event_log
        (id, schema_name, table_name, trigger_name, payload, locked)
      values ('held', 'public', 'note', 'note_changed', '{}', now())`)
    expect(await again('held')).toMatchObject({ status: 400, body: { code: 'busy' } })
    expect(await again('gone')).toMatchObject({ status: 400, body: { code: 'not-exists' } })
  })
})
