import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { askAs, CALLER_SETTINGS, nextMessageOf, socketOf } from '../support/caller.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table item (id int primary key, label text not null default repeat('x', 1000));
    insert into item select n from generate_series(1, 3000) n;
    analyze item;
    create table note (id serial primary key, body text);
    create function slow_note() returns trigger language plpgsql as
      $$ begin perform pg_sleep(new.body::float); return new; end $$;
    create trigger slow before insert on note for each row execute function slow_note();
    create function pairs(most int, seconds float) returns setof item language plpgsql stable rows 100 as
      $$ begin perform pg_sleep(seconds); return query select * from item where id <= most; end $$`)
  engine = await serveEngineHere(db.url, {
    ...CALLER_SETTINGS,
    ENGINE_CALLER_OPERATION_TIMEOUT_MS: '1000',
    ENGINE_CALLER_MAX_ANSWER_BYTES: '5000000',
  })
  const user = (permission: object) => [{ role: 'user', permission }]
  const everything = { columns: '*', filter: {} }
  const item = table('item', {
    select_permissions: user({ ...everything, allow_aggregations: true }),
  })
  const note = table('note', {
    select_permissions: user(everything),
    insert_permissions: user({ columns: ['body'], check: {} }),
  })
  await engine.post('/v1/metadata', replace(metadata([item, note])))
  await engine.post('/v1/metadata', { type: 'pg_track_function', args: { function: 'pairs' } })
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

const ask = (query: string, variables = {}) => askAs(engine, 'ada', { query, variables })

const refusal = (code: string) => ({ errors: [{ extensions: { code } }] })

describe('an operation of many fields has one time limit', () => {
  const notes = Array.from(
    { length: 50 },
    (_, i) => `n${i}:insert_note_one(object:{body:"0.1"}){id}`,
  )
  const count = async () => (await db.query('select count(*)::int from note')).rows[0].count

  test('a mutation of many quick fields times out as a whole and changes nothing', async () => {
    const began = performance.now()
    expect((await ask(`mutation{${notes}}`)).body).toMatchObject(refusal('timeout'))
    expect(performance.now() - began).toBeLessThan(3_000)
    expect(await count()).toBe(0)
  })

  test('a mutation of few fields succeeds, and a mutation of many fields succeeds with the admin secret', async () => {
    expect((await ask(`mutation{${notes.slice(0, 2)}}`)).text).toMatch(/^{"data":/)
    expect((await engine.graphql(`mutation{${notes.slice(0, 15)}}`)).text).toMatch(/^{"data":/)
    expect(await count()).toBe(17)
  })
})

describe('the response size of a caller is limited', () => {
  const large = (copies: number) =>
    `{${Array.from({ length: copies }, (_, i) => `a${i}:item{id label}`)}}`

  test('a response that is too large is rejected, and the next request is answered', async () => {
    expect((await ask(large(2))).body).toMatchObject(refusal('query-too-costly'))
    expect((await ask(large(1))).text.length).toBeGreaterThan(3_000_000)
    expect((await ask('{item(limit:1){id}}')).body).toEqual({ data: { item: [{ id: 1 }] } })
  })

  test('if the responses of a batch are too large, the operation that exceeds the limit and all later operations are rejected', async () => {
    const { body } = await askAs(engine, 'ada', Array(4).fill({ query: large(1) }))
    const success = { data: expect.anything() }
    const rejection = refusal('query-too-costly')
    expect(body).toMatchObject([success, success, rejection, rejection])
  })

  test('a response can be larger with the admin secret', async () => {
    expect((await engine.graphql(large(3))).text.length).toBeGreaterThan(9_000_000)
  })

  test('a response that is too large ends a subscription', async () => {
    const ws = await socketOf(engine, 'ada')
    const query = `subscription{item{${Array.from({ length: 3 }, (_, i) => `l${i}:label`)}}}`
    ws.send({ type: 'subscribe', id: '1', payload: { query } })
    expect(await nextMessageOf(ws, 'error')).toMatchObject({
      payload: [{ extensions: { code: 'query-too-costly' } }],
    })
    ws.ws.close()
  })
})

test('unread responses of a caller are limited over all its sockets', async () => {
  const sockets = await Promise.all(Array.from({ length: 5 }, () => socketOf(engine, 'lazy')))
  for (const { ws } of sockets) ws.pause()
  const payload = { query: '{item{id label}}' }
  // At the end each socket has less than 64 MiB unread, but all sockets together far more.
  for (let i = 0; i < 10; i++) {
    for (const { send } of sockets) send({ type: 'subscribe', id: String(i), payload })
    await vi.waitUntil(isIdle, { timeout: 20_000 })
  }
  for (const { ws } of sockets) ws.resume()
  const closed = await Promise.race(sockets.map((socket) => socket.closed))
  expect(closed.code).toBe(1006)
  for (const { ws } of sockets) ws.terminate()
})

/** True if no statement runs in three checks 50 ms apart. */
async function isIdle(): Promise<boolean> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const { rows } = await db.query(
      `select from pg_stat_activity
       where state = 'active' and pid <> pg_backend_pid() and datname = current_database()`,
    )
    if (rows.length > 0) return false
  }
  return true
}

test('the cost of a query that was slow before is estimated again for other values', async () => {
  const query =
    'query($most: Int!, $seconds: float8!){pairs(args:{most:$most,seconds:$seconds}){id}}'
  expect((await ask(query, { most: 1, seconds: 0.4 })).text).toMatch(/^{"data":/)
  await db.query('alter function pairs(int, float) rows 1000000000')
  expect((await ask(query, { most: 1, seconds: 0 })).body).toMatchObject(
    refusal('query-too-costly'),
  )
})
