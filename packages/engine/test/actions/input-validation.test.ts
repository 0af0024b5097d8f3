import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverReply,
  startReceiver,
} from '../support/receiver.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine
let webhook: Receiver
/** The replies of the webhook by path; 200 for other paths. */
const replies = new Map<string, (request: ReceivedRequest) => ReceiverReply>()

const validateBy = (path: string, more: object = {}) => ({
  type: 'http',
  definition: { url: `{{WEBHOOK}}${path}`, ...more },
})

beforeAll(async () => {
  db = await database()
  webhook = await startReceiver((request) => replies.get(request.url)?.(request) ?? { status: 200 })
  engine = await serveEngineHere(db.url, { WEBHOOK: webhook.url, KEY: 'secret' })
  await engine.post(
    '/v2/query',
    runSql(`create table author (id int primary key, name text, cost numeric);
      create table book (id int primary key, author_id int references author, title text)`),
  )
  const headers = [{ name: 'X-Key', value_from_env: 'KEY' }]
  const author = table('author', {
    array_relationships: [
      {
        name: 'books',
        using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } },
      },
    ],
    ...permissions('author', { headers, forward_client_headers: true, timeout: 1 }),
  })
  const replacement = await engine.post(
    '/v1/metadata',
    replace(metadata([author, table('book', permissions('book'))])),
  )
  expect(replacement.body).toEqual({ message: 'success' })
})

function permissions(name: string, more: object = {}) {
  const grant = (permission: object) => [{ role: 'user', permission }]
  return {
    select_permissions: grant({ columns: '*', filter: {} }),
    insert_permissions: grant({
      columns: '*',
      check: {},
      validate_input: validateBy(`/insert-${name}`, more),
    }),
    update_permissions: grant({
      columns: '*',
      filter: {},
      validate_input: validateBy(`/update-${name}`, more),
    }),
    delete_permissions: grant({ filter: {}, validate_input: validateBy(`/delete-${name}`, more) }),
  }
}

afterAll(async () => {
  await engine.stop()
  await webhook.close()
  await db.drop()
})

beforeEach(async () => {
  replies.clear()
  webhook.received.length = 0
  await db.query('truncate author, book; insert into author (id, name) values (1, $$Ann$$)')
})

const HEADERS = { 'x-hasura-role': 'user', 'x-hasura-user-id': '7', 'x-mine': 'yes' }
const asUser = async (query: string, variables: object = {}) =>
  (await engine.graphql(query, variables, HEADERS)).body
const webhookInputs = () => webhook.received.map(({ url, body }) => [url, Object(body).data.input])
const names = async () => (await db.query('select name from author order by id')).rows

test("an insert sends the client's rows to the webhook of each table", async () => {
  const rows = [
    { id: 2, name: 'Bob', cost: 1, books: { data: [{ id: 20, title: 'B' }, { id: 21 }] } },
    { id: 3, books: { data: [{ id: 30 }] } },
  ]
  const query = `mutation ($rows: [author_insert_input!]!) {
    insert_author(objects: $rows) { affected_rows }
  }`
  expect(await asUser(query, { rows })).toEqual({ data: { insert_author: { affected_rows: 5 } } })
  expect(webhookInputs()).toEqual([
    ['/insert-author', rows],
    ['/insert-book', [{ id: 20, title: 'B' }, { id: 21 }, { id: 30 }]],
  ])
})

test('the webhook gets the role, session variables, configured headers and client headers', async () => {
  await asUser('mutation { insert_author_one(object: {id: 2, cost: 1.50}) { id } }')
  const [request] = webhook.received
  expect(request).toMatchObject({
    method: 'POST',
    body: {
      version: 1,
      role: 'user',
      session_variables: { 'x-hasura-role': 'user', 'x-hasura-user-id': '7' },
    },
    headers: { 'content-type': 'application/json', 'x-key': 'secret', 'x-mine': 'yes' },
  })
  expect(request?.text).toContain('"cost":1.50')
  expect(request?.headers).not.toHaveProperty('x-hasura-admin-secret')
})

test('an update sends all its arguments to the webhook', async () => {
  const query = `mutation ($name: String) {
    update_author(where: {id: {_eq: 1}}, _set: {name: $name}) { affected_rows }
    update_author_by_pk(pk_columns: {id: 1}, _inc: {cost: 2}) { id }
    update_author_many(updates: [{where: {}, _set: {cost: 1}}]) { affected_rows }
  }`
  await asUser(query, { name: 'Cid' })
  expect(webhookInputs()).toEqual([
    ['/update-author', [{ where: { id: { _eq: 1 } }, _set: { name: 'Cid' } }]],
    ['/update-author', [{ pk_columns: { id: 1 }, _inc: { cost: 2 } }]],
    ['/update-author', [{ where: {}, _set: { cost: 1 } }]],
  ])
})

test('a deletion sends all its arguments to the webhook', async () => {
  await asUser(`mutation {
    delete_author(where: {id: {_eq: 9}}) { affected_rows } delete_author_by_pk(id: 1) { id }
  }`)
  expect(webhookInputs()).toEqual([
    ['/delete-author', [{ where: { id: { _eq: 9 } } }]],
    ['/delete-author', [{ pk_columns: { id: 1 } }]],
  ])
})

test("the webhook's error is returned, and the mutation changes nothing", async () => {
  replies.set('/insert-book', () => ({ status: 400, body: { message: 'no such title' } }))
  const query = `mutation {
    update_author(where: {}, _set: {name: "Eve"}) { affected_rows }
    insert_author_one(object: {id: 2, books: {data: [{id: 20}]}}) { id }
  }`
  expect(await asUser(query)).toEqual({
    errors: [{ message: 'no such title', extensions: { code: 'validation-failed', path: '$' } }],
  })
  expect(await names()).toEqual([{ name: 'Ann' }])
})

test('a mutation with a cached plan calls the webhook with the new values', async () => {
  const query = `mutation ($name: String!) {
    update_author(where: {}, _set: {name: $name}) { affected_rows }
  }`
  for (const name of ['Dan', 'Eve']) await asUser(query, { name })
  expect(webhookInputs().map(([, input]) => input[0]._set.name)).toEqual(['Dan', 'Eve'])
})

test.each<[string, () => ReceiverReply, string]>([
  ['answers 500', () => ({ status: 500 }), 'internal error when validating input data'],
  [
    'redirects',
    () => ({ status: 302, headers: { location: '/elsewhere' } }),
    'internal error when validating input data',
  ],
  [
    'rejects without a message',
    () => ({ status: 400, body: {} }),
    'received invalid response from input validation webhook',
  ],
  [
    'does not answer in time',
    () => ({ status: 200, after: new Promise(() => {}) }),
    'http exception when validating input data',
  ],
])(
  'a mutation whose webhook %s gets the code unexpected and changes nothing',
  async (_title, reply, message) => {
    replies.set('/delete-author', reply)
    expect(await asUser('mutation { delete_author(where: {}) { affected_rows } }')).toEqual({
      errors: [{ message, extensions: { code: 'unexpected', path: '$' } }],
    })
    expect(webhookInputs()).toHaveLength(1)
    expect(await names()).toEqual([{ name: 'Ann' }])
  },
)

test('mutations of admin do not call the webhook', async () => {
  await engine.graphql('mutation { delete_author(where: {}) { affected_rows } }')
  expect(webhook.received).toEqual([])
})

test('a permission with an unset variable in its webhook URL is rejected with the name of the variable', async () => {
  const permission = { filter: {}, validate_input: validateBy('/{{NOWHERE}}') }
  const { body } = await engine.post('/v1/metadata', {
    type: 'pg_create_delete_permission',
    args: { table: 'book', role: 'other', permission },
  })
  expect(body).toMatchObject({ code: 'invalid-configuration' })
  expect(JSON.stringify(body)).toContain('NOWHERE')
})
