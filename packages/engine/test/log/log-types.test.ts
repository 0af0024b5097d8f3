import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { logLines, waitForLine } from '../support/log/log-lines.ts'
import { openReadySocket, openSocket } from '../support/socket.ts'
import { type RunningEngine, startEngine } from '../support/start-engine.ts'

let db: Database

beforeAll(async () => {
  db = await database()
  await db.query('create table author (id int primary key, name text)')
  const engine = await startEngine(db.url)
  const tracked = { type: 'pg_track_table', args: { table: 'author' } }
  expect((await engine.post('/v1/metadata', tracked)).status).toBe(200)
  await engine.stop()
})
afterAll(() => db.drop())

/** Runs `act` with an engine that has these settings, and returns the engine, which has stopped. */
async function runEngine(
  settings: Record<string, string>,
  act: (engine: RunningEngine) => Promise<unknown>,
): Promise<RunningEngine> {
  const engine = await startEngine(db.url, settings)
  try {
    await act(engine)
  } finally {
    await engine.stop()
  }
  return engine
}

const QUERY = 'query Find($id: Int!) { author(where: {id: {_eq: $id}}) { name } }'

async function sendRequests(engine: RunningEngine) {
  const body = { query: QUERY, variables: { id: 4711 }, operationName: 'Find' }
  await engine.post('/v1/graphql', body, { 'x-request-id': 'query-1' })
  await engine.post('/v1/graphql', { query: '{ hunter2 }' }, { 'x-request-id': 'wrong-1' })
  const command = { type: 'run_sql', args: { sql: "select 'hunter3'" } }
  await engine.post('/v2/query', command, { 'x-request-id': 'command-1' })
  const socket = await openReadySocket(engine.url)
  socket.send({ type: 'subscribe', id: 's', payload: { query: QUERY, variables: { id: 4712 } } })
  expect((await socket.next()).type).toBe('next')
  socket.ws.terminate()
}

test('query-log has the request and its SQL, and adds the request to the other types', async () => {
  const engine = await runEngine(
    { HASURA_GRAPHQL_ENABLED_LOG_TYPES: ' http-log, Query-Log,websocket-log' },
    sendRequests,
  )
  const query = { operationName: 'Find', query: QUERY, variables: { id: 4711 } }
  const { level, detail } = await waitForLine(engine, 'query-log', 'query-1')
  expect(level).toBe('info')
  expect(detail).toEqual({
    kind: 'database',
    request_id: 'query-1',
    query,
    generated_sql: {
      author: { query: expect.stringMatching(/select/i), prepared_arguments: ['4711'] },
    },
  })
  const httpLine = await waitForLine(engine, 'http-log', 'query-1')
  expect(httpLine.detail.operation).toMatchObject({ query })
  const wrongLine = await waitForLine(engine, 'http-log', 'wrong-1')
  expect(wrongLine.detail.operation).toMatchObject({
    error: { error: "field 'hunter2' not found in type: 'query_root'" },
  })
  const [started] = logLines(engine, 'websocket-log').filter((line) =>
    JSON.stringify(line).includes('started'),
  )
  expect(started?.detail).toMatchObject({
    event: { detail: { query: { query: QUERY, variables: { id: 4712 } } } },
  })
  expect(engine.output()).not.toContain('hunter3')
  expect(logLines(engine, 'startup')).toEqual([])
})

const BY_NAME = 'query ($name: String!) { author(where: {name: {_eq: $name}}) { id } }'

test('long documents and variables are cut in query-log', async () => {
  const comment = `# ${'x'.repeat(200_000)}\n`
  const engine = await runEngine({ HASURA_GRAPHQL_ENABLED_LOG_TYPES: 'query-log' }, (running) =>
    running.post(
      '/v1/graphql',
      { query: `${comment}${BY_NAME}`, variables: { name: 'y'.repeat(200_000) } },
      { 'x-request-id': 'long-1' },
    ),
  )
  const line = await waitForLine(engine, 'query-log', 'long-1')
  expect(JSON.stringify(line).length).toBeLessThan(25_000)
  expect(line.detail).toMatchObject({ query: { variables: null } })
})

test('types that are switched off have no lines, and faults are still logged', async () => {
  await db.query(`
    create or replace function fail() returns trigger language plpgsql as
      $$ begin raise exception 'no' using errcode = 'AB123'; end $$;
    create or replace trigger fail before insert on author for each row execute function fail()`)
  const engine = await runEngine(
    { HASURA_GRAPHQL_ENABLED_LOG_TYPES: 'jwk-refresh-log' },
    async (running) => {
      await sendRequests(running)
      await running.graphql('mutation { insert_author_one(object: {id: 1}) { id } }')
    },
  )
  expect(logLines(engine)).toMatchObject([
    { type: 'engine', detail: { message: 'request failed', cause: { sqlstate: 'AB123' } } },
    { type: 'engine', detail: { message: 'stopping' } },
  ])
})

test('at the level warn, only failed requests have lines', async () => {
  const engine = await runEngine({ HASURA_GRAPHQL_LOG_LEVEL: 'warn' }, sendRequests)
  expect(logLines(engine).map(({ level, detail }) => [level, detail.request_id])).toEqual([
    ['error', 'wrong-1'],
  ])
})

test('an unknown type ends the start with the list of the types', async () => {
  const start = startEngine(db.url, { HASURA_GRAPHQL_ENABLED_LOG_TYPES: 'http-log,access-log' })
  await expect(start).rejects.toThrow(
    /HASURA_GRAPHQL_ENABLED_LOG_TYPES must be a list of .*: startup, http-log, .*; got http-log,access-log\./,
  )
})

describe('websocket-log has Hasura’s events', () => {
  test('the events of a socket and its operations are logged in order', async () => {
    const engine = await runEngine({}, async ({ url }) => {
      const socket = await openReadySocket(url)
      socket.send({ type: 'subscribe', id: 'q', payload: { query: '{ author { id } }' } })
      await socket.next()
      expect((await socket.next()).type).toBe('complete')
      const wrong = '{ author(where: {id: {_eq: "hunter2"}}) { id } }'
      socket.send({ type: 'subscribe', id: 'e', payload: { query: wrong } })
      expect((await socket.next()).type).toBe('error')
      const query = 'subscription Watch { author { id } }'
      const payload = { query, operationName: 'Watch' }
      socket.send({ type: 'subscribe', id: 's', payload })
      await vi.waitFor(() => expect(socket.all.some(({ id }) => id === 's')).toBe(true))
      socket.send({ type: 'complete', id: 's' })
      socket.ws.close()
      await socket.closed
    })
    const lines = logLines(engine, 'websocket-log')
    const events = lines.map(({ detail }) => Object(detail.event))
    expect(events.map(({ type, detail }) => detail?.operation_type.type ?? type)).toEqual([
      'accepted',
      'started',
      'completed',
      'started',
      'query_err',
      'started',
      'stopped',
      'closed',
    ])
    expect(lines.map(({ level }) => level).filter((level) => level === 'error')).toHaveLength(1)
    expect(events[4].detail).toMatchObject({
      operation_id: 'e',
      operation_type: { detail: { code: expect.any(String) } },
      query: null,
    })
    expect(events[5].detail).toMatchObject({ operation_id: 's', operation_name: 'Watch' })
    const ids = new Set(lines.map(({ detail }) => Object(detail.connection_info).websocket_id))
    expect(ids.size).toBe(1)
    expect(lines[1]?.detail.user_vars).toEqual({ 'x-hasura-role': 'admin' })
    expect(engine.output()).not.toContain('hunter2')
  })

  test('a socket that is refused has a line of the level error', async () => {
    const engine = await runEngine(
      { HASURA_GRAPHQL_CORS_DOMAIN: 'https://a.example' },
      async ({ url }) => {
        const socket = await openSocket(url, 'graphql-transport-ws')
        socket.send({ type: 'connection_init', payload: {} })
        await socket.closed
        const fromPage = openSocket(url, 'graphql-transport-ws', { origin: 'https://b.example' })
        await expect(fromPage).rejects.toThrow('403')
      },
    )
    const failures = logLines(engine, 'websocket-log').filter(({ level }) => level === 'error')
    expect(failures.map(({ detail }) => detail.event)).toEqual([
      { type: 'conn_err', detail: 'access-denied' },
      { type: 'rejected', detail: { path: '$', code: 'access-denied' } },
    ])
  })
})
