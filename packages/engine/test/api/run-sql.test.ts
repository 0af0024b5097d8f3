import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  engine = await serveEngineHere(db.url)
  await db.query('create table author (id int primary key, name text)')
  await db.query(
    'create table book (id int primary key, author_id int references author, title text)',
  )
})

afterAll(async () => {
  await engine.stop()
  await db.drop()
})

beforeEach(() => engine.post('/v1/metadata', replace(metadata([table('author'), table('book')]))))

describe('run_sql runs SQL of admin', () => {
  test.each([
    'set role to pg_monitor',
    'deallocate all',
    'select pg_terminate_backend(pg_backend_pid())',
  ])('run_sql leaves later statements unaffected by: %s', async (statement) => {
    const write = 'mutation {delete_author(where: {id: {_eq: 0}}) {affected_rows}}'
    const writes = async () => (await engine.graphql(write)).body
    for (let nth = 0; nth < 3; nth += 1) await writes()
    const { body } = await engine.post('/v2/query', runSql(statement))
    expect(body).not.toMatchObject({ code: 'unexpected' })
    for (let nth = 0; nth < 5; nth += 1)
      expect(await writes()).toEqual({ data: { delete_author: { affected_rows: 0 } } })
  })

  const sql = async (text: string, args: object = {}) =>
    (await engine.post('/v2/query', { type: 'run_sql', args: { sql: text, ...args } })).body

  test('run_sql returns the rows of the last statement as text', async () => {
    expect(
      await sql(`select 1; select 1.50 as a, null as b, true as c, '{"x": 1}'::jsonb as d`),
    ).toEqual({
      result_type: 'TuplesOk',
      result: [
        ['a', 'b', 'c', 'd'],
        ['1.50', 'NULL', 't', '{"x": 1}'],
      ],
    })
    expect(await sql('create table gone (id int); drop table gone')).toEqual({
      result_type: 'CommandOk',
      result: null,
    })
  })

  test('run_sql runs its statements in one transaction', async () => {
    const reply = await sql('insert into author values (1); insert into author values (1)')
    expect(reply).toMatchObject({
      code: 'postgres-error',
      error: 'query execution failed',
      path: '$',
      internal: { error: { status_code: '23505' } },
    })
    expect((await db.query('select from author')).rowCount).toBe(0)
  })

  test.each(['', ' ', ';'])('run_sql rejects the empty statement %j', async (text) => {
    expect(await sql(text)).toMatchObject({
      code: 'postgres-error',
      path: '$',
      internal: { error: { exec_status: 'EmptyQuery', message: null } },
    })
  })

  test('an error of run_sql in a bulk names the index of the failed command', async () => {
    const args = [runSql('select 1'), runSql('nonsense')]
    const reply = await engine.post('/v2/query', { type: 'bulk', args })
    expect(reply.body).toMatchObject({ code: 'postgres-error', path: '$[1]' })
  })

  test('run_sql with read_only rejects writes', async () => {
    expect(await sql('insert into author values (1)', { read_only: true })).toMatchObject({
      internal: { error: { status_code: '25006' } },
    })
  })

  test('run_sql leaves no settings behind', async () => {
    await sql(`set search_path to nowhere; set statement_timeout to 1`)
    await Promise.all(Array.from({ length: 20 }, () => sql('select pg_sleep(0.01)')))
    expect(await sql('show search_path')).toMatchObject({
      result: [['search_path'], ['"$user", public']],
    })
  })

  test('tables changed by run_sql are served immediately', async () => {
    await sql('alter table author add column born int')
    expect((await engine.graphql('{ author { born } }')).body).toEqual({ data: { author: [] } })
    await sql('alter table author drop column born')
    expect((await engine.graphql('{ author { born } }')).body).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    })
  })

  test('run_sql is only for admin', async () => {
    const reply = await engine.post('/v2/query', runSql('select 1'), { 'x-hasura-role': 'user' })
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.objectContaining({ code: 'access-denied' }),
    ])
  })
})

test('a trigger created by run_sql affects the next insert', async () => {
  const author = { name: 'author', using: { foreign_key_constraint_on: 'author_id' } }
  const tables = [table('book', { object_relationships: [author] }), table('author')]
  await engine.post('/v1/metadata', replace(metadata(tables)))
  await db.query("insert into author values (1, 'Ada')")
  await db.query(`create function praise() returns trigger language plpgsql as
    $$ begin update author set name = upper(name) where id = new.author_id; return null; end $$`)
  const trigger =
    'create trigger praise after insert on book for each row execute function praise()'
  await engine.post('/v2/query', runSql(trigger))
  const insert =
    'mutation {insert_book_one(object: {id: 1, author_id: 1, title: "a"}) {author {name}}}'
  expect((await engine.graphql(insert)).body).toEqual({
    data: { insert_book_one: { author: { name: 'ADA' } } },
  })
  await db.query('drop function praise cascade; delete from book; delete from author')
})
