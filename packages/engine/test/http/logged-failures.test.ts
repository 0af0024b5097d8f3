import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type Database, database } from '../../../../test/support/database.ts'
import { openReadySocket } from '../support/socket.ts'
import { type RunningEngine, startEngine } from '../support/start-engine.ts'

let db: Database
let engine: RunningEngine

/** The value in each request, which must not appear in the log. */
const VALUE = 'hunter2'

beforeAll(async () => {
  db = await database()
  // The trigger fails with a SQLSTATE that has no Hasura code. The message, detail and hint of the error repeat the value.
  await db.query(`
    create table author (id serial primary key, name text not null);
    create function refuse() returns trigger language plpgsql as $$
      begin
        raise exception 'no % here', new.name using errcode = 'AB123', detail = new.name, hint = new.name, table = 'author';
      end $$;
    create trigger refuse before insert on author for each row execute function refuse();
    create function fail(name text) returns setof author stable language plpgsql as $$
      begin raise exception 'no % here', name using errcode = 'AB124', detail = name; end $$;
  `)
  engine = await startEngine(db.url, { HASURA_GRAPHQL_LOG_LEVEL: 'debug' })
  for (const [type, args] of [
    ['pg_track_table', { table: 'author' }],
    ['pg_track_function', { function: 'fail' }],
  ])
    expect((await engine.post('/v1/metadata', { type, args })).status).toBe(200)
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const INSERT = `mutation { insert_author_one(object: {name: "${VALUE}"}) { id } }`

const Failure = z.object({
  message: z.literal('request failed'),
  request_id: z.string(),
  path: z.string(),
  code: z.string(),
  cause: z.looseObject({ sqlstate: z.string() }),
})

/** Finds the only log line of a failed request that has this text, such as its id. */
function failureWith(text: string) {
  return vi.waitFor(() => {
    const lines = engine.output().split('\n')
    const [line = '', ...furtherLines] = lines.filter(
      (each) => each.includes('request failed') && each.includes(text),
    )
    expect(furtherLines).toEqual([])
    return Failure.parse(JSON.parse(line).detail)
  })
}

describe('a database error without a Hasura code is logged with its SQLSTATE', () => {
  const logged = {
    code: 'unexpected',
    cause: { sqlstate: 'AB123', severity: 'ERROR', table: 'author', routine: 'exec_stmt_raise' },
  }

  test.each([
    ['a request', { query: INSERT }],
    ['an entry of a batch', [{ query: '{ __typename }' }, { query: INSERT }]],
  ])('the SQLSTATE is logged for %s', async (name, body) => {
    const requestId = name.replaceAll(' ', '-')
    await engine.post('/v1/graphql', body, { 'x-request-id': requestId })
    expect(await failureWith(requestId)).toMatchObject({ ...logged, path: '/v1/graphql' })
  })

  test('the SQLSTATE is logged for an operation on a WebSocket', async () => {
    const socket = await openReadySocket(engine.url)
    socket.send({ type: 'subscribe', id: 'q', payload: { query: INSERT } })
    expect(await failureWith('websocket of graphql')).toMatchObject(logged)
    socket.ws.terminate()
  })
})

test('the log has no values of requests, at any level', async () => {
  await db.query('create unique index on author (name)')
  await db.query('alter table author disable trigger refuse')
  for (const query of [
    INSERT,
    INSERT,
    `{ fail(args: {name: "${VALUE}"}) { id } }`,
    `{ author(where: {id: {_eq: "${VALUE}"}}) { id } }`,
  ])
    await engine.graphql(query)
  await engine.graphql('query ($id: Int) { author(where: {id: {_eq: $id}}) { id } }', { id: VALUE })
  await engine.post('/v1/graphql', `{"query": ${VALUE}}`)
  await engine.post('/v2/query', { type: 'run_sql', args: { sql: `select ${VALUE}` } })
  await engine.stop()
  expect(engine.output()).toContain('"sqlstate":"23505"')
  expect(engine.output()).toContain('"sqlstate":"AB124"')
  expect(engine.output()).not.toContain(VALUE)
})
