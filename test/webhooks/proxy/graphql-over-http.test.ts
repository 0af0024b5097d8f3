import { serverAudits } from 'graphql-http'
import { describe, expect } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import {
  ask,
  platform,
  RESPONSE_TYPE,
  send,
  setTheScene,
  team,
} from '../../support/webhooks/proxy/graphql-scene.ts'

setTheScene()

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
