import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create type mood as enum ('glad', 'sad');
    create domain short as text check (length(value) < 20);
    create table entry (
      id int primary key, label text, nick short, tags text[], doc jsonb, plain json, size numeric, at timestamptz,
      mood mood, bytes bytea, flag boolean default true, code varchar(8), owner text)`)
  engine = await serveEngineHere(db.url)
  const permission = {
    columns: '*',
    set: { owner: 'X-Hasura-User-Id' },
    check: { id: { _gte: 0 } },
  }
  await engine.post(
    '/v1/metadata',
    replace(metadata([table('entry', { insert_permissions: [{ role: 'user', permission }] })])),
  )
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const INSERT = `mutation ($rows: [entry_insert_input!]!) {
  insert_entry(objects: $rows) {affected_rows returning {id label nick tags doc plain size at mood bytes code owner}} }`

const LABELS = ['plain', `quo"te`, String.raw`back\slash`, 'null', '', '{a,b}', "it's", '😀', null]

/** Creates a row with values that PostgreSQL's text format, PostgreSQL's arrays and JSON write differently. */
function entryOf(id: number) {
  const label = LABELS[id % LABELS.length]
  return {
    id,
    label,
    nick: label,
    tags: [label, 'x'],
    doc: { label, list: [1, null, 'a'] },
    plain: [label],
    size: `${id}.50`,
    at: '2026-01-02T03:04:05+00:00',
    mood: id % 2 === 0 ? 'glad' : 'sad',
    bytes: String.raw`\xdeadbeef`,
    code: 'code',
  }
}

const USER = { 'x-hasura-role': 'user', 'x-hasura-user-id': 'ada' }

test('many inserted rows are stored like rows inserted one by one', async () => {
  const rows = Array.from({ length: 120 }, (_, i) => entryOf(i))
  const { body: batchBody } = await engine.graphql(INSERT, { rows })
  await db.query('truncate entry')
  const rowsOneByOne: unknown[] = []
  for (const row of rows)
    rowsOneByOne.push(...returnedRows((await engine.graphql(INSERT, { rows: [row] })).body))
  expect(returnedRows(batchBody)).toEqual(rowsOneByOne)
  await db.query('truncate entry')
})

function returnedRows(body: unknown): unknown[] {
  return Object(body).data.insert_entry.returning
}

test("many inserted rows get the role's preset and check", async () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({ id: i }))
  const inserted =
    'mutation ($rows: [entry_insert_input!]!) {insert_entry(objects: $rows) {affected_rows}}'
  expect((await engine.graphql(inserted, { rows }, USER)).body).toEqual({
    data: { insert_entry: { affected_rows: 60 } },
  })
  const { rows: owners } = await db.query('select distinct owner from entry')
  expect(owners).toEqual([{ owner: 'ada' }])
  const failing = rows.map(({ id }) => ({ id: id === 59 ? -1 : id + 100 }))
  expect((await engine.graphql(inserted, { rows: failing }, USER)).body).toMatchObject({
    errors: [{ extensions: { code: 'permission-error' } }],
  })
  await db.query('truncate entry')
})

test('one of many inserted rows gets the default of a column that it leaves out', async () => {
  const rows = Array.from({ length: 60 }, (_, id) => (id === 7 ? { id } : { id, flag: false }))
  await engine.graphql(INSERT, { rows })
  const { rows: flags } = await db.query('select id from entry where flag')
  expect(flags).toEqual([{ id: 7 }])
  await db.query('truncate entry')
})

test('an invalid value among many rows gets the same error as in a single row', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    ...entryOf(i),
    at: i === 58 ? 'never' : null,
  }))
  const last = rows[58]
  const [many, one] = [
    await engine.graphql(INSERT, { rows }),
    await engine.graphql(INSERT, { rows: [last] }),
  ]
  expect(many.body).toEqual(one.body)
  expect(many.body).toMatchObject({ errors: [{ extensions: { code: 'data-exception' } }] })
})

test('15,000 rows of six columns can be inserted by one mutation', async () => {
  const rows = Array.from({ length: 15_000 }, (_, id) => ({
    ...{ id, label: 'x', nick: 'x', size: '1', code: 'x', owner: 'x' },
  }))
  const query =
    'mutation ($rows: [entry_insert_input!]!) {insert_entry(objects: $rows) {affected_rows}}'
  expect((await engine.graphql(query, { rows })).body).toEqual({
    data: { insert_entry: { affected_rows: 15_000 } },
  })
})
