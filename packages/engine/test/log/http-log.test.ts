import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { logLines, waitForLine } from '../support/log/log-lines.ts'
import { ADMIN_SECRET, type RunningEngine, startEngine } from '../support/start-engine.ts'

let db: Database
let engine: RunningEngine

beforeAll(async () => {
  db = await database()
  await db.query('create table author (id int primary key, name text)')
  engine = await startEngine(db.url)
  const tracked = { type: 'pg_track_table', args: { table: 'author' } }
  expect((await engine.post('/v1/metadata', tracked)).status).toBe(200)
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const SECONDS = expect.any(Number)

test('a successful request has a line with the fields of Hasura', async () => {
  const { text } = await engine.post(
    '/v1/graphql?secret=in-the-query',
    { query: '{ author { id } }', variables: {} },
    { 'x-request-id': 'success-1', 'x-hasura-role': 'admin', 'x-hasura-user-id': '7' },
  )
  const line = await waitForLine(engine, 'http-log', 'success-1')
  expect(line).toMatchObject({ level: 'info', type: 'http-log' })
  expect(line.detail).toEqual({
    request_id: 'success-1',
    operation: {
      request_id: 'success-1',
      request_mode: 'single',
      response_size: text.length,
      uncompressed_response_size: text.length,
      request_read_time: SECONDS,
      query_execution_time: SECONDS,
      user_vars: { 'x-hasura-role': 'admin', 'x-hasura-user-id': '7' },
      query: { type: null },
    },
    http_info: {
      status: 200,
      http_version: 'HTTP/1.1',
      url: '/v1/graphql',
      ip: '127.0.0.1',
      method: 'POST',
      content_encoding: null,
    },
  })
})

test('a failed request has a line of the level error, without the query and its values', async () => {
  const query = '{ author(where: {id: {_eq: "hunter2"}}) { id } }'
  await engine.post('/v1/graphql', { query }, { 'x-request-id': 'failure-1' })
  const { level, detail } = await waitForLine(engine, 'http-log', 'failure-1')
  expect(level).toBe('error')
  expect(detail).toMatchObject({
    operation: {
      request_mode: 'error',
      query: { type: null },
      error: { path: expect.stringMatching(/^\$/), code: expect.any(String) },
    },
    http_info: { status: 200 },
  })
  expect(engine.output()).not.toContain('hunter2')
})

test('a client without a session has a line without session variables', async () => {
  const headers = { 'x-request-id': 'refused-1', 'x-hasura-admin-secret': 'wrong-secret' }
  await engine.post('/v1/graphql', { query: '{ __typename }' }, headers)
  const { level, detail } = await waitForLine(engine, 'http-log', 'refused-1')
  expect(level).toBe('error')
  expect(detail.operation).toMatchObject({ error: { code: 'access-denied', path: '$' } })
  expect(detail.operation).not.toHaveProperty('user_vars')
  expect(engine.output()).not.toContain('wrong-secret')
  expect(engine.output()).not.toContain(ADMIN_SECRET)
})

test('a command of the metadata API is logged with its type only', async () => {
  const command = { type: 'run_sql', args: { sql: "select 'hunter2'" } }
  await engine.post('/v2/query', command, { 'x-request-id': 'command-1' })
  const { detail } = await waitForLine(engine, 'http-log', 'command-1')
  expect(detail).toMatchObject({
    operation: { request_mode: 'non-graphql', query: { type: 'run_sql' } },
    http_info: { url: '/v2/query' },
  })
})

test('a batch has a line with an entry for each operation', async () => {
  const batch = [{ query: '{ author { id } }' }, { query: '{ nothing }' }]
  await engine.post('/v1/graphql', batch, { 'x-request-id': 'batch-1' })
  const { level, detail } = await waitForLine(engine, 'http-log', 'batch-1')
  expect(level).toBe('info')
  expect(detail).toMatchObject({
    operation: { request_mode: 'batched' },
    batched_operations: [
      { response_size: '{"data":{"author":[]}}'.length, query_execution_time: SECONDS },
      { error: { code: 'validation-failed' } },
    ],
  })
})

test('a path that does not exist, and a compressed response, have lines', async () => {
  await engine.post('/v1/nothing', {}, { 'x-request-id': 'missing-1', 'x-real-ip': '192.0.2.7' })
  const missing = await waitForLine(engine, 'http-log', 'missing-1')
  expect(missing).toMatchObject({
    level: 'error',
    detail: {
      operation: { request_mode: 'error', error: { code: 'not-found' } },
      http_info: { status: 404, ip: '192.0.2.7' },
    },
  })
  const introspection = { query: '{ __schema { types { name description } } }' }
  await engine.post('/v1/graphql', introspection, { 'x-request-id': 'large-1' })
  const { operation, http_info: info } = (await waitForLine(engine, 'http-log', 'large-1')).detail
  expect(info).toMatchObject({ content_encoding: expect.stringMatching(/^(br|gzip)$/) })
  const { response_size: size, uncompressed_response_size: whole } = Object(operation)
  expect(size).toBeLessThan(whole)
})

test('a line stays short, even if the client sends long names', async () => {
  const long = 'x'.repeat(50_000)
  const headers = { 'x-request-id': `long-1${long}`, 'x-hasura-note': long }
  await engine.post(`/v1/${long}`, {}, headers)
  await engine.post('/v1/graphql', { query: `{ ${long} }`, operationName: long }, headers)
  await vi.waitFor(() => expect(engine.output().split('long-1')).toHaveLength(5))
  const lengths = engine
    .output()
    .split('\n')
    .map((line) => line.length)
  expect(Math.max(...lengths)).toBeLessThan(4_000)
})

test('the start is logged as startup, with settings but no secrets', () => {
  expect(logLines(engine, 'startup')).toEqual([
    expect.objectContaining({
      level: 'info',
      detail: {
        kind: 'server_configuration',
        info: expect.objectContaining({ admin_secret_set: true, log_level: 'info' }),
      },
    }),
    expect.objectContaining({
      detail: { kind: 'server', info: { message: 'listening', port: expect.any(Number) } },
    }),
  ])
})
