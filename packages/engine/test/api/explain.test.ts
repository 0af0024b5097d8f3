import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

const OWN = { columns: ['id'], filter: { owner: { _eq: 'X-Hasura-User-Id' } } }

beforeAll(async () => {
  db = await database()
  await db.query(`create table note (id int primary key, owner int, secret text);
    insert into note select n, n, 'x' from generate_series(1, 3) n`)
  engine = await serveEngineHere(db.url)
  const custom = {
    actions: [
      { name: 'act', definition: { handler: 'http://h/', type: 'query', output_type: 'Int' } },
      {
        name: 'later',
        definition: { handler: 'http://h/', kind: 'asynchronous', output_type: 'Int' },
      },
    ],
  }
  const notes = table('note', { select_permissions: [{ role: 'user', permission: OWN }] })
  await engine.post('/v1/metadata', replace(metadata([notes], custom)))
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

const explain = (query: string, options: object = {}, headers: Record<string, string> = {}) => {
  const { user, ...request } = { user: null, ...options }
  return engine.post('/v1/graphql/explain', { query: { query, ...request }, user }, headers)
}

test('explain returns the SQL and the plan of each root field', async () => {
  const query = 'query ($id: Int!) {one: note_by_pk(id: $id) {id} note {secret} __typename}'
  const { status, body } = await explain(query, { variables: { id: 2 } })
  expect([status, body]).toEqual([
    200,
    [
      {
        field: 'one',
        sql: expect.stringContaining('"note"'),
        plan: expect.arrayContaining([expect.stringContaining('note_pkey')]),
      },
      {
        field: 'note',
        sql: expect.stringContaining('"secret"'),
        plan: expect.arrayContaining([expect.stringContaining('Seq Scan on note')]),
      },
      { field: '__typename', sql: null, plan: null },
    ],
  ])
})

test('explain uses the permissions and session variables of the given user', async () => {
  const user = { 'X-Hasura-Role': 'user', 'X-Hasura-User-Id': '2' }
  const { body } = await explain('{note {id}}', { user })
  expect(body).toMatchObject([{ plan: expect.arrayContaining([expect.stringMatching('owner')]) }])
  const hidden = await explain('{note {secret}}', { user })
  expect([hidden.status, hidden.body]).toEqual([
    400,
    expect.objectContaining({
      code: 'validation-failed',
      path: '$.selectionSet.note.selectionSet.secret',
    }),
  ])
  const nobody = await explain('{note {id}}', { user: { 'x-hasura-role': 'user' } })
  expect(nobody.body).toMatchObject({ code: 'not-found' })
})

test.each([
  ['a mutation', 'mutation {delete_note(where: {}) {affected_rows}}', 'only queries can be'],
  ['an action', '{act}', 'query actions cannot be explained'],
])('explain rejects %s', async (_what, query, why) => {
  const { status, body } = await explain(query)
  expect([status, body]).toEqual([
    400,
    { code: 'invalid-params', path: '$', error: expect.stringContaining(why) },
  ])
  expect((await engine.graphql('{note_aggregate {aggregate {count}}}')).body).toEqual({
    data: { note_aggregate: { aggregate: { count: 3 } } },
  })
})

test('explain of a subscription returns the SQL for all subscribers, its plan and its values', async () => {
  const query = 'subscription ($id: Int!) {note(where: {id: {_eq: $id}}, limit: 5) {id}}'
  const user = { 'x-hasura-role': 'user', 'x-hasura-user-id': '2' }
  const { status, body } = await explain(query, { variables: { id: 3 }, user })
  expect([status, body]).toEqual([
    200,
    {
      sql: expect.stringMatching(/"note".*unnest\(\$1::int\[\], \$2::json\[\]\)/),
      plan: expect.arrayContaining([
        expect.stringContaining('Function Scan on subscriber'),
        expect.stringMatching(/Scan.* on note/),
      ]),
      variables: {
        session: {},
        query: {},
        synthetic: expect.arrayContaining(['2', '3']),
        cursor: {},
      },
    },
  ])
})

test("explain of a stream includes the cursor's start value", async () => {
  const query =
    'subscription {note_stream(batch_size: 2, cursor: [{initial_value: {id: 7}}]) {secret}}'
  const { body } = await explain(query)
  expect(body).toMatchObject({
    sql: expect.stringContaining('as "cursor"'),
    variables: { synthetic: expect.arrayContaining(['7']) },
  })
})

test.each([
  [
    'the result of an action',
    { query: 'subscription {later(id: "00000000-0000-0000-0000-000000000000") {output}}' },
    { code: 'not-supported', error: expect.stringContaining('async action query fields') },
  ],
  [
    'a subscription of a role without subscriptions',
    { query: 'subscription {note {id}}', user: { 'x-hasura-role': 'nobody' } },
    { code: 'not-found', error: 'no subscriptions found' },
  ],
])('explain rejects %s', async (_what, { query, ...options }, refusal) => {
  const { status, body } = await explain(query, options)
  expect([status, body]).toEqual([400, { path: '$', ...refusal }])
})

test('explain fails if session variables of a permission are missing', async () => {
  const { status, body } = await explain('{note {id}}', { user: { 'x-hasura-role': 'user' } })
  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'not-found', path: '$' })
})

test('explain is only for admin', async () => {
  const { status, body } = await explain('{note {id}}', {}, { 'x-hasura-role': 'user' })
  const error = 'You have to be an admin to access this endpoint'
  expect([status, body]).toEqual([400, { code: 'access-denied', path: '$', error }])
})

test('explain rejects a malformed query with its path', async () => {
  const { status, body } = await explain('{')
  expect([status, body]).toMatchObject([400, { code: 'parse-failed', path: '$.query.query' }])
})
