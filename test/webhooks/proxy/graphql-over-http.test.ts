import { serverAudits } from 'graphql-http'
import { describe, expect } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import {
  platform,
  RESPONSE_TYPE,
  send,
  sendGet,
  setTheScene,
  team,
} from '../../support/webhooks/proxy/graphql-scene.ts'

setTheScene()

/** The audits for which Hasura's clients expect another behaviour with `application/json`. */
const AS_HASURA = [
  // SHOULD use 400 status code on JSON parsing failure when accepting application/json
  'BCF8',
]

describe('the GraphQL endpoint passes the audits of graphql-http', () => {
  const audits = serverAudits({
    url: () => `${platform.baseUrl}/v1/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = { ...init.headers, authorization: `Bearer ${team.apiKey}` }
      return fetch(url, { ...init, headers })
    },
  })
  const requiredAudits = audits.filter(
    ({ name, id }) => !name.startsWith('MAY ') && !AS_HASURA.includes(id),
  )

  test('more than 30 audits are about what the specification requires or recommends', () => {
    expect(requiredAudits.length).toBeGreaterThan(30)
  })

  test.each(requiredAudits)('the audit $id passes: $name', async (audit) => {
    expect(await audit.fn()).toMatchObject({ status: 'ok' })
  })

  test.each(['5A70', '9C48', 'D6D5', '6A70'])('the audit %s of GET requests passes', async (id) => {
    const audit = audits.find((each) => each.id === id)
    expect(await audit?.fn()).toMatchObject({ status: 'ok' })
  })
})

describe('a GraphQL request can be sent by GET', () => {
  test('a GET request runs the named operation with its variables', async () => {
    const query =
      'query A { app { name } } query B($name: String!) { app(where: {name: {_eq: $name}}) { name } }'
    const variables = JSON.stringify({ name: 'App' })
    expect(await sendGet({ query, operationName: 'B', variables })).toMatchObject({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: { data: { app: [{ name: 'App' }] } },
    })
  })

  test.each([
    ['a mutation', { query: 'mutation { delete_redirect(where: {}) { affected_rows } }' }],
    [
      'a mutation next to a query',
      {
        query: 'query A { app { id } } mutation B { delete_redirect(where: {}) { affected_rows } }',
        operationName: 'B',
      },
    ],
    [
      'a document whose operation is not named',
      {
        query: 'query A { app { id } } mutation B { delete_redirect(where: {}) { affected_rows } }',
      },
    ],
  ])('a GET request cannot run %s', async (_name, parameters) => {
    for (const method of ['GET', 'HEAD'])
      expect(await sendGet(parameters, { method })).toMatchObject({ status: 405, allow: 'POST' })
  })

  test('a GET request cannot start a subscription', async () => {
    const query = 'subscription { app { id } }'
    expect(await sendGet({ query })).toMatchObject({
      status: 200,
      body: { errors: [{ message: expect.stringContaining('not supported over HTTP') }] },
    })
    expect(await sendGet({ query }, { accept: RESPONSE_TYPE })).toMatchObject({ status: 400 })
  })

  test.each([
    ['variables that are not JSON', { query: '{ app { id } }', variables: '{' }, 'invalid-json'],
    ['no document', {}, 'parse-failed'],
    [
      'a document that is too deep',
      { query: `{ ${'a { '.repeat(20)} b ${'} '.repeat(20)} }` },
      'validation-failed',
    ],
    [
      'too many fields',
      { query: `{ ${Array.from({ length: 501 }, () => 'a').join(' ')} }` },
      'validation-failed',
    ],
  ])('a GET request with %s is rejected', async (_name, parameters, code) => {
    expect(await sendGet(parameters)).toMatchObject({
      status: 200,
      body: { errors: [{ extensions: { code } }] },
    })
  })

  test('a GET request uses the first of repeated parameters', async () => {
    const parameters = new URLSearchParams({ query: '{ app { name } }' })
    const headers = { authorization: `Bearer ${team.apiKey}` }
    const url = `${platform.baseUrl}/v1/graphql?${parameters}&query=${encodeURIComponent('mutation { a }')}`
    expect(await (await fetch(url, { headers })).json()).toEqual({
      data: { app: [{ name: 'App' }] },
    })
  })
})

describe('the Accept header selects the media type of the response', () => {
  test.each([
    [RESPONSE_TYPE, RESPONSE_TYPE],
    [`${RESPONSE_TYPE}, application/json;q=0.9`, RESPONSE_TYPE],
    [`${RESPONSE_TYPE}; charset=utf-8, application/json; charset=utf-8`, RESPONSE_TYPE],
    [`application/json, ${RESPONSE_TYPE};q=0.5`, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/html', 'application/json'],
  ])('the response to Accept: %s has the media type %s', async (accept, type) => {
    const { status, type: mediaType, body } = await send({ query: '{ app { name } }' }, accept)
    expect({ status, got: mediaType, body }).toEqual({
      status: 200,
      got: `${type}; charset=utf-8`,
      body: { data: { app: [{ name: 'App' }] } },
    })
  })

  test.each([
    ['an invalid document', '{', 400],
    ['an unknown field', '{ nothing }', 400],
    [
      'a row without permission',
      'mutation { insert_action_one(object: {app_id: "x", action: "y"}) { id } }',
      400,
    ],
  ])('the media type decides the status of an error for %s', async (_name, query, status) => {
    const newer = await send({ query }, RESPONSE_TYPE)
    const older = await send({ query })
    expect(newer).toMatchObject({ status, type: `${RESPONSE_TYPE}; charset=utf-8` })
    expect(older).toMatchObject({ status: 200, type: 'application/json; charset=utf-8' })
    expect(newer.body).toEqual(older.body)
  })

  test('the response to a batch has the media type application/json, whatever the Accept header', async () => {
    expect(
      await send([{ query: '{ app { name } }' }, { query: '{ nothing }' }], RESPONSE_TYPE),
    ).toMatchObject({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: [{ data: {} }, { errors: [{}] }],
    })
  })
})
