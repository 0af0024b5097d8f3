import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, readAnswer, type ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

const QUERIES = {
  all: 'query { note(order_by: {id: asc}) { id } }',
  shorthand: '{ note { id } }',
  one: 'query ($id: Int!) { note_by_pk(id: $id) { id text done } }',
  find: 'query ($text: String, $done: Boolean) { note(where: {text: {_eq: $text}, done: {_eq: $done}}) { id } }',
  several: 'query ($ids: [Int!]!) { note(where: {id: {_in: $ids}}) { id } }',
  add: 'mutation ($id: Int!, $text: String) { insert_note_one(object: {id: $id, text: $text}) { id } }',
  page: 'query ($limit: Int = 1) { note(order_by: {id: asc}, limit: $limit) { id } }',
  priced: 'query ($price: numeric) { note(where: {price: {_eq: $price}}) { id } }',
  watch: 'subscription { note { id } }',
}

const endpoint = (name: string, url: string, methods: string[], query: keyof typeof QUERIES) => ({
  name,
  url,
  methods,
  definition: { query: { collection_name: 'saved', query_name: query } },
})

const SAVED = {
  query_collections: [
    {
      name: 'saved',
      definition: { queries: Object.entries(QUERIES).map(([name, query]) => ({ name, query })) },
    },
  ],
}

beforeAll(async () => {
  db = await database()
  engine = await serveEngineHere(db.url, { HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'nobody' })
  await engine.post(
    '/v2/query',
    runSql(`create table note (id int primary key, text text, done boolean default false, price numeric);
    insert into note values (1, 'a b', true, 123456789012345.123456), (2, '7', false, 0.5)`),
  )
  const rest_endpoints = [
    endpoint('all', 'notes', ['GET'], 'all'),
    endpoint('one', 'notes/:id', ['GET'], 'one'),
    endpoint('add', 'notes', ['POST', 'PUT'], 'add'),
    endpoint('find', 'find', ['GET', 'POST'], 'find'),
    endpoint('priced', 'prices/of/notes', ['GET'], 'priced'),
    endpoint('page', 'pages/of/notes', ['GET'], 'page'),
    endpoint('several', 'several', ['GET', 'POST'], 'several'),
  ]
  await engine.post(
    '/v1/metadata',
    replace(metadata([table('note')], { ...SAVED, rest_endpoints })),
  )
})

afterAll(async () => {
  await engine.stop()
  await db.drop()
})

async function ask(method: string, path: string, body?: string, type = 'application/json') {
  const headers = { 'x-hasura-admin-secret': ADMIN_SECRET, 'content-type': type }
  const reply = await fetch(`${engine.url}/api/rest/${path}`, {
    method,
    headers,
    ...(body && { body }),
  })
  const { status, body: answer } = await readAnswer(reply)
  return [status, answer]
}

test('a numeric variable in the query string keeps all its digits', async () => {
  const { text } = await readAnswer(
    await fetch(`${engine.url}/api/rest/prices/of/notes?price=123456789012345.123456`, {
      headers: { 'x-hasura-admin-secret': ADMIN_SECRET },
    }),
  )
  expect(text).toBe('{"note":[{"id":1}]}')
})

describe('a saved query is served as a REST endpoint', () => {
  test.each<[string, [string, string, string?, string?], unknown]>([
    [
      'a REST endpoint answers without an envelope',
      ['GET', 'notes'],
      { note: [{ id: 1 }, { id: 2 }] },
    ],
    [
      'a REST endpoint takes variables from the path',
      ['GET', 'notes/1'],
      { note_by_pk: { id: 1, text: 'a b', done: true } },
    ],
    [
      'a REST endpoint takes variables from the query string',
      ['GET', 'find?text=a%20b&done=true'],
      { note: [{ id: 1 }] },
    ],
    [
      'a REST endpoint takes digits for a string variable as a string',
      ['GET', 'find?text=7&done=false'],
      { note: [{ id: 2 }] },
    ],
    [
      'a REST endpoint keeps the default of a variable whose parameter is empty',
      ['GET', 'pages/of/notes?limit='],
      { note: [{ id: 1 }] },
    ],
    [
      'a REST endpoint takes variables from JSON',
      ['POST', 'find', '{"text":"a b","done":true}'],
      { note: [{ id: 1 }] },
    ],
    [
      'a REST endpoint takes variables from a form',
      ['POST', 'find', 'text=a+b&done=true', 'application/x-www-form-urlencoded'],
      { note: [{ id: 1 }] },
    ],
    [
      'a REST endpoint takes lists from JSON',
      ['POST', 'several', '{"ids":[2]}'],
      { note: [{ id: 2 }] },
    ],
    [
      'a REST endpoint can run a mutation',
      ['PUT', 'notes', '{"id":3}'],
      { insert_note_one: { id: 3 } },
    ],
  ])('%s', async (_what, request, answer) => {
    expect(await ask(...request)).toEqual([200, answer])
  })

  test.each<[string, [string, string, string?], number, string]>([
    ['an unknown path', ['GET', 'nowhere'], 404, 'not-found'],
    ['a path that is too long', ['GET', 'notes/1/2'], 404, 'not-found'],
    ['a method that is not allowed', ['DELETE', 'notes'], 405, 'method-not-allowed'],
    ['a missing variable', ['POST', 'notes', '{}'], 400, 'validation-failed'],
    ['an unknown variable', ['GET', 'find?x=1'], 400, 'bad-request'],
    ['a list in the query string', ['GET', 'several?ids=1'], 400, 'bad-request'],
    ['a value of the wrong type', ['GET', 'notes/x'], 400, 'data-exception'],
    ['null for a required variable', ['GET', 'notes/null'], 400, 'data-exception'],
    ['a path with a malformed escape', ['GET', 'notes/%zz'], 400, 'bad-request'],
  ])(
    'a REST request with %s is rejected with its status and code',
    async (_what, request, status, code) => {
      expect(await ask(...request)).toEqual([
        status,
        expect.objectContaining({ code, error: expect.any(String) }),
      ])
    },
  )

  test('a REST endpoint uses the permissions of the caller', async () => {
    const reply = await readAnswer(await fetch(`${engine.url}/api/rest/notes`))
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.objectContaining({ code: 'validation-failed' }),
    ])
  })
})

test.each([
  ['not JSON', '{'],
  ['a list', '[]'],
  ['a string', '"x"'],
])('the body of a REST request that is %s is ignored', async (_what, body) => {
  const reply = await ask('POST', 'find?text=7&done=false', body)
  expect(reply).toEqual([200, { note: [{ id: 2 }] }])
})

test('trailing and repeated slashes of a REST path are ignored', async () => {
  expect(await ask('GET', '/notes//1/')).toMatchObject([200, { note_by_pk: { id: 1 } }])
})

test('a REST endpoint rejects OPTIONS', async () => {
  const error = { error: 'Method OPTIONS not supported.', path: '$', code: 'bad-request' }
  expect(await ask('OPTIONS', 'notes')).toEqual([400, error])
})

test.each([
  [
    'a query in the short form',
    endpoint('new', 'short', ['GET'], 'shorthand'),
    'Inconsistent object: in endpoint new: query with name shorthand has multiple definitions.',
  ],
  [
    'a trailing slash',
    endpoint('new', 'a/', ['GET'], 'all'),
    'Empty segments or unnamed variables are not allowed: a/',
  ],
  [
    'a variable without a name',
    endpoint('new', 'a/:', ['GET'], 'all'),
    'Empty segments or unnamed variables are not allowed: a/:',
  ],
  [
    'a repeated variable',
    endpoint('new', ':id/:id', ['GET'], 'one'),
    'Duplicate variables found in endpoint path: :id/:id',
  ],
  [
    'a subscription',
    endpoint('new', 'a', ['GET'], 'watch'),
    'Inconsistent object: in endpoint new: query with name watch is a subscription',
  ],
  [
    'a path that overlaps with others',
    endpoint('new', ':x', ['GET'], 'all'),
    'Ambiguous URL paths: notes, find, :x, several',
  ],
])('an endpoint with %s is rejected', async (_what, args, reason) => {
  const reply = await engine.post('/v1/metadata', { type: 'create_rest_endpoint', args })
  expect([reply.status, reply.body]).toEqual([
    400,
    expect.objectContaining({
      code: 'invalid-configuration',
      error: reason,
    }),
  ])
})

test('an error about overlapping endpoints lists both', async () => {
  const args = endpoint('new', 'several', ['GET'], 'all')
  const { body } = await engine.post('/v1/metadata', { type: 'create_rest_endpoint', args })
  expect(body).toHaveProperty('internal[0].conflicts', [
    args,
    expect.objectContaining({ url: 'several' }),
  ])
})

test.each([
  ['without a method', []],
  ['with an unknown method', ['FETCH']],
])('an endpoint %s is rejected', async (_what, methods) => {
  const args = endpoint('new', 'a', methods, 'all')
  const reply = await engine.post('/v1/metadata', { type: 'create_rest_endpoint', args })
  expect(reply).toMatchObject({ status: 400, body: { code: 'parse-failed' } })
})

describe('an allow list limits the queries of roles', () => {
  const allowListMetadata = metadata(
    [
      table('note', {
        select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
      }),
    ],
    { ...SAVED, allowlist: [{ collection: 'saved', scope: { global: true } }] },
  )
  let strict: ServedEngine
  beforeAll(async () => {
    strict = await serveEngineHere(db.url, { HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'true' })
    await strict.post('/v1/metadata', replace(allowListMetadata))
  })
  afterAll(() => strict.stop())

  test.each([
    ['a saved query', QUERIES.all, true],
    [
      'a saved query with other white space and __typename',
      '{note(order_by:{id:asc}){__typename id}}',
      true,
    ],
    ['a query with one more field', '{ note(order_by: {id: asc}) { id text } }', false],
    ['a saved query under another name', 'query x { note(order_by: {id: asc}) { id } }', false],
  ])('the allow list decides about %s, and admin can run it', async (_what, query, allowed) => {
    const { body } = await strict.graphql(query, {}, { 'x-hasura-role': 'user' })
    expect(body).toHaveProperty(allowed ? 'data' : 'errors')
    expect((await strict.graphql(query)).body).toHaveProperty('data')
  })
})
