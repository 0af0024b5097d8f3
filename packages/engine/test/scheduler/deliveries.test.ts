import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import {
  NOTE_CHANGED,
  runMetadataCommand,
  type Scheduling,
  startScheduling,
  watchNotes,
} from '../support/scheduler.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let scheduling: Scheduling

beforeEach(async () => {
  scheduling = await startScheduling()
})
afterEach(() => scheduling?.stop())

describe('events of event triggers are delivered and logged', () => {
  const logs = (one: ServedEngine) =>
    runMetadataCommand(one, 'pg_get_event_invocation_logs', { name: 'note_changed' })

  test('events and their invocations can be read by commands', async () => {
    const one = await watchNotes(scheduling)
    scheduling.reply = () => ({ status: 500, body: 'no' })
    await scheduling.db.query(`insert into note values (1, 'a', 'b')`)
    await scheduling
      .pollRows('select error, tries from hdb_catalog.event_log')
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
    expect(await runMetadataCommand(one, 'pg_get_event_logs', { name })).toEqual([event])
    expect(
      await runMetadataCommand(one, 'pg_get_event_logs', { name, status: 'processed' }),
    ).toEqual([event])
    expect(await runMetadataCommand(one, 'pg_get_event_logs', { name, status: 'pending' })).toEqual(
      [],
    )
    const invocation = {
      id: expect.any(String),
      trigger_name: name,
      event_id: expect.any(String),
      http_status: 500,
      request: expect.objectContaining({ version: '2' }),
      response: { version: '2', type: 'client_error', data: { message: 'no' } },
      created_at: utc,
    }
    const logs = await runMetadataCommand(one, 'pg_get_event_invocation_logs', { name })
    expect(logs).toEqual([invocation, invocation])
    const { rows } = await scheduling.db.query('select id as event_id from hdb_catalog.event_log')
    const page = { ...rows[0], invocation_log_limit: 1, invocation_log_offset: 1 }
    expect(await runMetadataCommand(one, 'pg_get_event_by_id', page)).toEqual({
      event,
      invocations: [invocation],
    })
    const missing = { code: 'not-exists', path: '$.args' }
    expect(await runMetadataCommand(one, 'pg_get_event_by_id', { event_id: 'none' })).toEqual({
      ...missing,
      error: 'event id none does not exist',
    })
    for (const type of ['pg_get_event_logs', 'pg_get_event_invocation_logs'])
      expect(await runMetadataCommand(one, type, { name: 'none' })).toEqual({
        ...missing,
        error: 'event trigger "none" does not exist',
      })
  })

  test('an event is retried as often as configured, and then counts as failed', async () => {
    await watchNotes(scheduling)
    scheduling.reply = () => ({ status: 500 })
    await scheduling.db.query('insert into note values (1)')
    await scheduling
      .pollRows('select error, tries from hdb_catalog.event_log')
      .toEqual([{ error: true, tries: 2 }])
  })

  test('an invocation is logged with its request and response, without secrets', async () => {
    const one = await watchNotes(scheduling, {
      ...NOTE_CHANGED,
      headers: [
        { name: 'plain', value: 'a' },
        { name: 'secret', value_from_env: 'SECRET' },
      ],
    })
    scheduling.reply = () => ({ status: 201, body: 'yes', headers: { mine: 'b' } })
    await scheduling.db.query('insert into note values (1)')
    const [request] = await scheduling.hook.waitForRequests(1)
    await scheduling
      .pollRows('select delivered from hdb_catalog.event_log')
      .toEqual([{ delivered: true }])
    expect(await logs(one)).toMatchObject([
      {
        http_status: 201,
        request: {
          version: '2',
          payload: request?.body,
          headers: [
            { name: 'Content-Type', value: 'application/json' },
            { name: 'User-Agent', value: request?.headers['user-agent'] },
            { name: 'plain', value: 'a' },
            { name: 'secret', value_from_env: 'SECRET' },
          ],
        },
        response: {
          version: '2',
          type: 'webhook_response',
          data: {
            status: 201,
            body: 'yes',
            headers: expect.arrayContaining([{ name: 'mine', value: 'b' }]),
          },
        },
      },
    ])
  })

  test("an event's request and response are transformed", async () => {
    const one = await watchNotes(scheduling, {
      ...NOTE_CHANGED,
      request_transform: {
        version: 2,
        template_engine: 'Kriti',
        method: 'PUT',
        url: '{{$base_url}}/changed',
        query_params: { by: `{{$session_variables['x-hasura-user-id']}}` },
        request_headers: {
          add_headers: { op: '{{$body.event.op}}' },
          remove_headers: ['user-agent'],
        },
        body: { action: 'transform', template: '{"id": {{$body.event.data.new.id}}}' },
      },
      response_transform: {
        version: 2,
        template_engine: 'Kriti',
        body: { action: 'transform', template: '{"was": {{$body.ok}}}' },
      },
    })
    scheduling.reply = () => ({ status: 200, body: { ok: 1 } })
    const change = 'mutation { insert_note_one(object: {id: 1}) { id } }'
    await one.graphql(change, {}, { 'x-hasura-user-id': 'ada' })
    const [request] = await scheduling.hook.waitForRequests(1)
    expect(request).toMatchObject({
      method: 'PUT',
      url: '/notes/changed?by=ada',
      headers: { op: 'INSERT' },
      body: { id: 1 },
    })
    expect(request?.headers).not.toHaveProperty('user-agent')
    await scheduling
      .pollRows('select delivered from hdb_catalog.event_log')
      .toEqual([{ delivered: true }])
    expect(await logs(one)).toMatchObject([
      { request: { payload: { id: 1 } }, response: { data: { body: '{"was":1}' } } },
    ])
  })

  test('a failed request transformation is logged with its position, without values', async () => {
    const one = await scheduling.startEngineProcess()
    const template =
      '{"id": $body.event.data.new.id, "none": $body.event.data.new[$body.event.data.new.text]}'
    await watchNotes(
      scheduling,
      {
        ...NOTE_CHANGED,
        request_transform: { version: 2, body: { action: 'transform', template } },
      },
      one,
    )
    await scheduling.db.query(`insert into note values (1, 'private')`)
    await scheduling
      .pollRows('select error, tries from hdb_catalog.event_log')
      .toEqual([{ error: true, tries: 0 }])
    const line = await vi.waitFor(() =>
      requireValue(
        one
          .output()
          .split('\n')
          .find((text) => text.includes('transform failed')),
        'the line of the log',
      ),
    )
    expect(JSON.parse(line).detail).toMatchObject({
      message: 'the request transform failed',
      event_id: expect.any(String),
      cause: {
        cause: { error_code: 'Attribute Error', template: 'body', line: 1, column: 41 },
      },
    })
    expect(line).not.toContain('private')
  })

  test('an event fails without a request or an invocation log if its request cannot be transformed', async () => {
    const one = await watchNotes(scheduling, {
      ...NOTE_CHANGED,
      request_transform: { version: 2, body: { action: 'transform', template: '{{$body.none}}' } },
    })
    await scheduling.db.query('insert into note values (1)')
    await scheduling
      .pollRows('select error, tries, locked from hdb_catalog.event_log')
      .toEqual([{ error: true, tries: 0, locked: null }])
    expect(await logs(one)).toEqual([])
    expect(scheduling.hook.received).toHaveLength(0)
  })

  test('an event is retried if its response cannot be transformed', async () => {
    const one = await watchNotes(scheduling, {
      ...NOTE_CHANGED,
      response_transform: { version: 2, body: { action: 'transform', template: '{{$body.none}}' } },
    })
    await scheduling.db.query('insert into note values (1)')
    await scheduling
      .pollRows('select error, tries from hdb_catalog.event_log')
      .toEqual([{ error: true, tries: 2 }])
    const message = expect.stringContaining("'Object' has no attribute 'none'")
    expect(await logs(one)).toMatchObject(
      Array(2).fill({ http_status: 500, response: { type: 'client_error', data: { message } } }),
    )
  })

  test("a Retry-After of 0 does not extend an event's retries", async () => {
    await watchNotes(scheduling)
    scheduling.reply = () => ({ status: 503, headers: { 'retry-after': '0' } })
    await scheduling.db.query('insert into note values (1)')
    await scheduling
      .pollRows('select error, tries from hdb_catalog.event_log')
      .toEqual([{ error: true, tries: 2 }])
  })
})
