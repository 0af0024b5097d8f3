import { createHash } from 'node:crypto'
import { serverAudits } from 'graphql-http'
import { describe, expect } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  team = await platform.team()
  await platform.app({ team })
})

const RESPONSE_TYPE = 'application/graphql-response+json'

type Asked = { accept?: string; key?: string; method?: string }

/** A request in the query string. */
async function ask(
  parameters: Record<string, string>,
  { accept, key, method = 'GET' }: Asked = {},
) {
  const headers = {
    authorization: `Bearer ${key ?? team.apiKey}`,
    ...(accept !== undefined && { accept }),
  }
  const url = `${platform.baseUrl}/v1/graphql?${new URLSearchParams(parameters)}`
  const response = await fetch(url, { method, headers })
  const text = await response.text()
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    allow: response.headers.get('allow'),
    body: text && JSON.parse(text),
  }
}

/** A request in a body. */
async function send(body: object | string, accept = 'application/json') {
  const headers = { authorization: `Bearer ${team.apiKey}`, accept }
  const reply = await platform.post('/v1/graphql', body, headers)
  return { ...reply, type: reply.headers.get('content-type') }
}

/** What Hasura does otherwise for `application/json`, so that its clients notice no difference. */
const AS_HASURA = [
  // SHOULD use 400 status code on JSON parsing failure when accepting application/json
  'BCF8',
]

describe('the audits of graphql-http', () => {
  const audits = serverAudits({
    url: () => `${platform.baseUrl}/v1/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = { ...init.headers, authorization: `Bearer ${team.apiKey}` }
      return fetch(url, { ...init, headers })
    },
  })
  const required = audits.filter(
    ({ name, id }) => !name.startsWith('MAY ') && !AS_HASURA.includes(id),
  )

  test('are those that the specification requires or recommends', () => {
    expect(required.length).toBeGreaterThan(30)
  })

  test.each(required)('$id: $name', async (audit) => {
    expect(await audit.fn()).toMatchObject({ status: 'ok' })
  })

  test.each(['5A70', '9C48', 'D6D5', '6A70'])('%s, which is about GET', async (id) => {
    const audit = audits.find((each) => each.id === id)
    expect(await audit?.fn()).toMatchObject({ status: 'ok' })
  })
})

describe('a request in the query string', () => {
  test('is answered as one in a body', async () => {
    const query =
      'query A { app { name } } query B($name: String!) { app(where: {name: {_eq: $name}}) { name } }'
    const variables = JSON.stringify({ name: 'App' })
    expect(await ask({ query, operationName: 'B', variables })).toMatchObject({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: { data: { app: [{ name: 'App' }] } },
    })
  })

  test.each([
    ['a mutation', { query: 'mutation { delete_redirect(where: {}) { affected_rows } }' }],
    [
      'a mutation beside a query',
      {
        query: 'query A { app { id } } mutation B { delete_redirect(where: {}) { affected_rows } }',
        operationName: 'B',
      },
    ],
    [
      'what may be either',
      {
        query: 'query A { app { id } } mutation B { delete_redirect(where: {}) { affected_rows } }',
      },
    ],
  ])('never changes anything: %s', async (_name, parameters) => {
    for (const method of ['GET', 'HEAD'])
      expect(await ask(parameters, { method })).toMatchObject({ status: 405, allow: 'POST' })
  })

  test('starts no subscription', async () => {
    const query = 'subscription { app { id } }'
    expect(await ask({ query })).toMatchObject({
      status: 200,
      body: { errors: [{ message: expect.stringContaining('not supported over HTTP') }] },
    })
    expect(await ask({ query }, { accept: RESPONSE_TYPE })).toMatchObject({ status: 400 })
  })

  test.each([
    ['variables that are not JSON', { query: '{ app { id } }', variables: '{' }, 'invalid-json'],
    ['no document', {}, 'parse-failed'],
    [
      'too deep a document',
      { query: `{ ${'a { '.repeat(20)} b ${'} '.repeat(20)} }` },
      'validation-failed',
    ],
    [
      'too many fields',
      { query: `{ ${Array.from({ length: 501 }, () => 'a').join(' ')} }` },
      'validation-failed',
    ],
  ])('has the same bounds: %s', async (_name, parameters, code) => {
    expect(await ask(parameters)).toMatchObject({
      status: 200,
      body: { errors: [{ extensions: { code } }] },
    })
  })

  test('takes the first of parameters that come twice, as a body does', async () => {
    const once = new URLSearchParams({ query: '{ app { name } }' })
    const headers = { authorization: `Bearer ${team.apiKey}` }
    const url = `${platform.baseUrl}/v1/graphql?${once}&query=${encodeURIComponent('mutation { a }')}`
    expect(await (await fetch(url, { headers })).json()).toEqual({
      data: { app: [{ name: 'App' }] },
    })
  })
})

describe('the media type', () => {
  test.each([
    [RESPONSE_TYPE, RESPONSE_TYPE],
    [`${RESPONSE_TYPE}, application/json;q=0.9`, RESPONSE_TYPE],
    [`${RESPONSE_TYPE}; charset=utf-8, application/json; charset=utf-8`, RESPONSE_TYPE],
    [`application/json, ${RESPONSE_TYPE};q=0.5`, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/html', 'application/json'],
  ])('for Accept: %s is %s', async (accept, type) => {
    const { status, type: got, body } = await send({ query: '{ app { name } }' }, accept)
    expect({ status, got, body }).toEqual({
      status: 200,
      got: `${type}; charset=utf-8`,
      body: { data: { app: [{ name: 'App' }] } },
    })
  })

  test.each([
    ['a document that is none', '{', 400],
    ['an unknown field', '{ nothing }', 400],
    [
      'a refused row',
      'mutation { insert_action_one(object: {app_id: "x", action: "y"}) { id } }',
      400,
    ],
  ])('decides about the status of a refusal: %s', async (_name, query, status) => {
    const newer = await send({ query }, RESPONSE_TYPE)
    const older = await send({ query })
    expect(newer).toMatchObject({ status, type: `${RESPONSE_TYPE}; charset=utf-8` })
    expect(older).toMatchObject({ status: 200, type: 'application/json; charset=utf-8' })
    expect(newer.body).toEqual(older.body)
  })

  test('of a batch is that of Hasura', async () => {
    expect(
      await send([{ query: '{ app { name } }' }, { query: '{ nothing }' }], RESPONSE_TYPE),
    ).toMatchObject({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: [{ data: {} }, { errors: [{}] }],
    })
  })
})

describe('a persisted query', () => {
  const query = '{ app { name } }'
  const named = (text: string) => ({
    persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(text).digest('hex') },
  })
  const NOT_FOUND = {
    errors: [
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ],
  }

  test('is sent once, and named by its hash from then on, in a body or the query string', async () => {
    const extensions = named(query)
    expect((await send({ extensions })).body).toMatchObject(NOT_FOUND)
    expect(await send({ extensions }, RESPONSE_TYPE)).toMatchObject({
      status: 400,
      body: NOT_FOUND,
    })
    const answer = { data: { app: [{ name: 'App' }] } }
    expect((await send({ query, extensions })).body).toEqual(answer)
    expect((await send({ extensions })).body).toEqual(answer)
    expect((await ask({ extensions: JSON.stringify(extensions) })).body).toEqual(answer)
  })

  test("of one caller is not another's", async () => {
    const extensions = named('{ team { name } }')
    await send({ query: '{ team { name } }', extensions })
    const { apiKey: key } = await platform.team()
    expect((await ask({ extensions: JSON.stringify(extensions) }, { key })).body).toMatchObject(
      NOT_FOUND,
    )
  })

  test('is not kept for wrong credentials', async () => {
    const asked = { query: '{ app { id } }', extensions: JSON.stringify(named('{ app { id } }')) }
    const key = 'api_none'
    expect(await ask(asked, { key })).toMatchObject({ status: 401 })
    const { extensions } = asked
    expect((await ask({ extensions }, { key })).body).toMatchObject(NOT_FOUND)
  })

  test('must have the hash that is sent with it', async () => {
    const extensions = named('something else')
    expect((await send({ query, extensions })).body).toMatchObject({
      errors: [{ message: 'provided sha does not match query' }],
    })
    expect((await send({ extensions })).body).toMatchObject(NOT_FOUND)
  })

  test('may be a mutation, which is not carried out by a GET', async () => {
    const mutation = 'mutation { delete_redirect(where: {}) { affected_rows } }'
    const extensions = named(mutation)
    expect((await send({ query: mutation, extensions })).body).toHaveProperty('data')
    expect((await send({ extensions })).body).toHaveProperty('data')
    expect(await ask({ extensions: JSON.stringify(extensions) })).toMatchObject({ status: 405 })
  })

  test('is judged as any other, and of an unknown version not supported', async () => {
    const deep = `{ ${'a { '.repeat(20)} b ${'} '.repeat(20)} }`
    expect((await send({ query: deep, extensions: named(deep) })).body).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    })
    expect((await send({ extensions: named(deep) })).body).toMatchObject(NOT_FOUND)
    const extensions = { persistedQuery: { version: 2, sha256Hash: 'x' } }
    const refused = { errors: [{ message: 'PersistedQueryNotSupported' }] }
    expect((await send({ extensions })).body).toMatchObject(refused)
    expect((await send([{ extensions: named(query) }, { query }])).body).toMatchObject([
      refused,
      refused,
    ])
  })
})

describe('refused credentials are told apart in words, with one status and code', () => {
  const said = async (authorization?: string) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const graphql = await platform.post('/v1/graphql', { query: '{ app { id } }' }, headers)
    const address = `${platform.baseUrl}/api/v2/minikit/transaction/txn_1?app_id=app_1&type=payment`
    const payment = await fetch(address, { headers })
    expect([graphql.status, payment.status]).toEqual([401, 401])
    const [{ message, extensions }] = Object(graphql.body).errors
    expect(extensions.code).toBe('access-denied')
    const told = Object(await payment.json())
    expect(told.code).toBe('unauthenticated')
    return [message, told.detail]
  }

  test.each([
    ['missing', undefined, /^Authorization is missing/],
    ['no bearer', 'Basic eDp5', /^Authorization is malformed/],
    ['half a key', 'Bearer api_a2V5', /^The API key is malformed/],
  ])('%s', async (_name, authorization, words) => {
    for (const detail of await said(authorization)) expect(detail).toMatch(words)
  })

  test('unknown, and wrong, which sound the same', async () => {
    const wrongSecret = Buffer.from(team.apiKey.slice(4), 'base64url')
      .toString()
      .replace(/:..../, ':0000')
    const unknown = `key_${'0'.repeat(32)}:secret`
    for (const text of [wrongSecret, unknown])
      for (const detail of await said(`Bearer api_${Buffer.from(text).toString('base64url')}`))
        expect(detail).toMatch(/^There is no such API key/)
  })

  test('revoked, only to who has the secret', async () => {
    const revoked = await platform.team()
    await platform.db.query('update api_key set is_active = false where id = $1', [revoked.keyId])
    for (const detail of await said(`Bearer ${revoked.apiKey}`))
      expect(detail).toBe('This API key has been revoked.')
    const guess = Buffer.from(`${revoked.keyId}:guess`).toString('base64url')
    for (const detail of await said(`Bearer api_${guess}`))
      expect(detail).toMatch(/^There is no such API key/)
  })

  test('a token that is no login', async () => {
    const [message] = await said('Bearer e30.e30.e30')
    expect(message).toMatch(/^This is neither an API key/)
  })
})
