import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import {
  platform,
  RESPONSE_TYPE,
  send,
  sendGet,
  setTheScene,
} from '../../support/webhooks/proxy/graphql-scene.ts'

setTheScene()

describe('a persisted query is sent once', () => {
  const query = '{ app { name } }'
  const extensionsFor = (text: string) => ({
    persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(text).digest('hex') },
  })
  const NOT_FOUND = {
    errors: [
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ],
  }

  test('a persisted query is sent once and then named by its hash, by POST or GET', async () => {
    const extensions = extensionsFor(query)
    expect((await send({ extensions })).body).toMatchObject(NOT_FOUND)
    expect(await send({ extensions }, RESPONSE_TYPE)).toMatchObject({
      status: 400,
      body: NOT_FOUND,
    })
    const answer = { data: { app: [{ name: 'App' }] } }
    expect((await send({ query, extensions })).body).toEqual(answer)
    expect((await send({ extensions })).body).toEqual(answer)
    expect((await sendGet({ extensions: JSON.stringify(extensions) })).body).toEqual(answer)
  })

  test('a persisted query of one caller is unknown to another caller', async () => {
    const extensions = extensionsFor('{ team { name } }')
    await send({ query: '{ team { name } }', extensions })
    const { apiKey: key } = await platform.team()
    expect((await sendGet({ extensions: JSON.stringify(extensions) }, { key })).body).toMatchObject(
      NOT_FOUND,
    )
  })

  test('spaces in the Authorization header do not make another caller', async () => {
    const text = '{ app { logo_url } }'
    const extensions = extensionsFor(text)
    const { apiKey } = await platform.team()
    const sendSpaced = async (body: object) =>
      (await platform.post('/v1/graphql', body, { authorization: `Bearer   ${apiKey}` })).body
    const answer = { data: { app: [] } }
    expect(
      (
        await platform.post(
          '/v1/graphql',
          { query: text, extensions },
          { authorization: `Bearer ${apiKey}` },
        )
      ).body,
    ).toEqual(answer)
    expect(await sendSpaced({ extensions })).toEqual(answer)
  })

  test('a persisted query is not stored for wrong credentials', async () => {
    const parameters = {
      query: '{ app { id } }',
      extensions: JSON.stringify(extensionsFor('{ app { id } }')),
    }
    const key = 'api_none'
    expect(await sendGet(parameters, { key })).toMatchObject({ status: 401 })
    const { extensions } = parameters
    expect((await sendGet({ extensions }, { key })).body).toMatchObject(NOT_FOUND)
  })

  test('a persisted query with a wrong hash is rejected', async () => {
    const extensions = extensionsFor('something else')
    expect((await send({ query, extensions })).body).toMatchObject({
      errors: [{ message: 'provided sha does not match query' }],
    })
    expect((await send({ extensions })).body).toMatchObject(NOT_FOUND)
  })

  test('a persisted mutation runs by POST, and gets 405 by GET', async () => {
    const mutation = 'mutation { delete_redirect(where: {}) { affected_rows } }'
    const extensions = extensionsFor(mutation)
    expect((await send({ query: mutation, extensions })).body).toHaveProperty('data')
    expect((await send({ extensions })).body).toHaveProperty('data')
    expect(await sendGet({ extensions: JSON.stringify(extensions) })).toMatchObject({ status: 405 })
  })

  test('a persisted query has the usual limits, and an unknown version is not supported', async () => {
    const deep = `{ ${'a { '.repeat(20)} b ${'} '.repeat(20)} }`
    expect((await send({ query: deep, extensions: extensionsFor(deep) })).body).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    })
    expect((await send({ extensions: extensionsFor(deep) })).body).toMatchObject(NOT_FOUND)
    const extensions = { persistedQuery: { version: 2, sha256Hash: 'x' } }
    const unsupported = { errors: [{ message: 'PersistedQueryNotSupported' }] }
    expect((await send({ extensions })).body).toMatchObject(unsupported)
    expect((await send([{ extensions: extensionsFor(query) }, { query }])).body).toMatchObject([
      unsupported,
      unsupported,
    ])
  })
})
