import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runSql } from '../support/metadata.ts'
import { runMetadataCommand, type Scheduling, startScheduling } from '../support/scheduler.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let scheduling: Scheduling
let one: ServedEngine

beforeEach(async () => {
  scheduling = await startScheduling()
  one = await scheduling.engine()
  await one.post(
    '/v2/query',
    runSql('create table note (id int primary key); create table other ()'),
  )
  await runMetadataCommand(one, 'pg_track_table', { table: 'note' })
})
afterEach(() => scheduling?.stop())

const TRIGGER = { name: 'first', table: 'note', webhook: '{{HOOK}}/', insert: { columns: '*' } }
const create = (rest: object = {}) =>
  runMetadataCommand(one, 'pg_create_event_trigger', { ...TRIGGER, ...rest })

async function triggers() {
  const document = Object(await runMetadataCommand(one, 'export_metadata', {}))
  return document.sources[0].tables[0].event_triggers
}

describe('event triggers are validated and exported', () => {
  const NOTHING = { insert: undefined }

  test.each([
    [
      'an invalid name',
      { name: "bad'name" },
      'only alphanumeric and underscore and hyphens allowed for name',
      '$.args',
    ],
    [
      'a name that is too long',
      { name: 'a'.repeat(43) },
      'event trigger name can be at most 42 characters',
      '$.args',
    ],
    [
      'no operation',
      NOTHING,
      'atleast one amongst insert/update/delete/enable_manual spec must be provided',
      '$.args',
    ],
    ['no webhook', { webhook: undefined }, 'must provide webhook or webhook_from_env', '$.args'],
    [
      'two webhooks',
      { webhook_from_env: 'HOOK' },
      'only one of webhook or webhook_from_env should be given',
      '$.args',
    ],
    [
      'an empty list of columns',
      { update: { columns: [] } },
      'found empty column specification',
      '$.args',
    ],
    [
      'an empty payload',
      { insert: { columns: '*', payload: [] } },
      'found empty payload specification',
      '$.args',
    ],
    ['an operation without columns', { insert: {} }, 'key "columns" not found', '$.args.insert'],
    [
      'a header without a value',
      { headers: [{ name: 'a' }] },
      'expecting value or value_from_env keys',
      '$.args.headers[0]',
    ],
    [
      'a header with two values',
      { headers: [{ name: 'a', value: 'b', value_from_env: 'HOOK' }] },
      'expecting only one of value or value_from_env keys',
      '$.args.headers[0]',
    ],
    [
      'a string for num_retries',
      { retry_conf: { num_retries: 'x' } },
      'parsing Int failed, expected Number, but encountered String',
      '$.args.retry_conf.num_retries',
    ],
  ])('an event trigger with %s is rejected', async (_what, wrong, message, path) => {
    expect(await create(wrong)).toMatchObject({
      code: 'parse-failed',
      error: expect.stringMatching(new RegExp(`message: ${message.replaceAll('*', '.')}$`)),
      path,
    })
  })

  test('an event trigger needs a tracked table and a unique name', async () => {
    expect(await create()).toEqual({ message: 'success' })
    expect(await create({ table: 'other' })).toMatchObject({
      code: 'not-exists',
      error: 'table "other" does not exist in source: default',
    })
    expect(await create()).toMatchObject({
      code: 'already-exists',
      error: 'Event trigger with name "first" already exists',
    })
    const missing = { code: 'not-exists', error: 'event trigger "second" does not exist' }
    expect(await create({ name: 'second', replace: true })).toMatchObject(missing)
    const deletion = await runMetadataCommand(one, 'pg_delete_event_trigger', { name: 'second' })
    expect(deletion).toMatchObject(missing)
  })

  test('an event trigger is exported with its retries and keeps its place when replaced', async () => {
    await create()
    await create({ name: 'second', retry_conf: { num_retries: 3 } })
    await create({ replace: true, insert: undefined, enable_manual: true })
    expect(await triggers()).toEqual([
      {
        name: 'first',
        definition: { enable_manual: true },
        webhook: TRIGGER.webhook,
        retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
      },
      expect.objectContaining({ name: 'second', retry_conf: { num_retries: 3 } }),
    ])
  })
})

describe('the cleanup of old events can be paused and resumed', () => {
  const CLEANUP = { schedule: '0 0 * * *', clear_older_than: 168 }

  test('cleanups are paused and resumed in the metadata, by trigger or by source', async () => {
    await create({ cleanup_config: CLEANUP })
    await create({ name: 'second' })
    const triggersWithPause = (is: boolean) => [
      expect.objectContaining({ name: 'first', cleanup_config: { ...CLEANUP, paused: is } }),
      expect.not.objectContaining({ cleanup_config: expect.anything() }),
    ]
    const byName = { event_triggers: [{ source_name: 'default', event_triggers: ['first'] }] }
    for (const [args, is] of [
      [byName, true],
      [{ sources: ['default'] }, false],
      [{ sources: '*' }, true],
    ] as const) {
      const type = `${is ? 'pause' : 'resume'}_event_trigger_cleanups`
      expect(await runMetadataCommand(one, type, args)).toEqual({ message: 'success' })
      expect(await triggers()).toEqual(triggersWithPause(is))
    }
  })

  test.each([
    ['an unknown source', { sources: ['none'] }, 'source with name none does not exists'],
    [
      'an unknown trigger',
      { event_triggers: [{ event_triggers: ['none'] }] },
      'event trigger "none" does not exist',
    ],
    [
      'a trigger without cleanup',
      { event_triggers: [{ event_triggers: ['first'] }] },
      'cleanup config does not exist for first',
    ],
  ])('the cleanup of %s cannot be paused', async (_what, args, error) => {
    await create()
    expect(await runMetadataCommand(one, 'pause_event_trigger_cleanups', args)).toEqual({
      code: 'not-exists',
      error,
      path: '$.args',
    })
  })

  test('cleanup_event_trigger_logs gets not-supported', async () => {
    const args = { event_trigger_name: 'first', clear_older_than: 1 }
    expect(await runMetadataCommand(one, 'cleanup_event_trigger_logs', args)).toMatchObject({
      code: 'not-supported',
    })
  })
})

test('deleting an event trigger archives its events, and they stay archived if a new trigger gets the same name', async () => {
  scheduling.reply = () => ({ status: 500 })
  await create({ retry_conf: { num_retries: 100, interval_sec: 1 } })
  await scheduling.db.query('insert into note values (1)')
  await scheduling.hook.waitForRequests(1)
  await runMetadataCommand(one, 'pg_delete_event_trigger', { name: 'first' })
  await scheduling
    .pollRows('select archived from hdb_catalog.event_log')
    .toEqual([{ archived: true }])
  await create()
  expect(await runMetadataCommand(one, 'pg_get_event_logs', { name: 'first' })).toMatchObject([
    { archived: true },
  ])
  expect(
    await runMetadataCommand(one, 'pg_get_event_logs', { name: 'first', status: 'pending' }),
  ).toEqual([])
})

test('a rejected metadata change leaves the triggers in the database unchanged', async () => {
  await create()
  const installedTriggers = async () =>
    (
      await scheduling.db.query(
        "select oid, tgname from pg_trigger where tgname like 'notify_hasura%'",
      )
    ).rows
  const before = await installedTriggers()
  expect(before).toHaveLength(1)
  const document = Object(await runMetadataCommand(one, 'export_metadata', {}))
  const [source] = document.sources
  const tables = [{ table: 'note' }, { table: 'missing' }]
  expect(
    await runMetadataCommand(one, 'replace_metadata', {
      ...document,
      sources: [{ ...source, tables }],
    }),
  ).toMatchObject({ error: 'cannot continue due to inconsistent metadata' })
  expect(await installedTriggers()).toEqual(before)
})
