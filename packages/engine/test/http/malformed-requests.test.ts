import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, readAnswer, type ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  engine = await serveEngineHere(db.url)
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

async function sendBody(body: string | Buffer<ArrayBuffer>) {
  const headers = { 'content-type': 'application/json', 'x-hasura-admin-secret': ADMIN_SECRET }
  return readAnswer(await fetch(`${engine.url}/v1/graphql`, { method: 'POST', headers, body }))
}

test.each([
  ['PUT', '/v1/graphql'],
  ['DELETE', '/nowhere'],
  ['OPTIONS', '/healthz'],
])('the unsupported method of %s %s gets 500', async (method, path) => {
  const reply = await readAnswer(await fetch(engine.url + path, { method }))
  expect([reply.status, reply.body]).toEqual([
    500,
    { error: 'Internal Server Error', path: '$', code: 'unexpected' },
  ])
})

/** Sends a method or path that `fetch` rejects. @returns the status and the header `Allow` */
async function statusOf(method: string, path: string): Promise<[number | undefined, unknown]> {
  const sendBody = request(engine.url, { method, path }).end()
  const [response] = await once(sendBody, 'response')
  response.resume()
  return [response.statusCode, response.headers.allow]
}

test.each([
  ['TRACE', '/v1/graphql', 405],
  ['PROPFIND', '/nowhere', 405],
  ['OPTIONS', '*', 200],
])('%s %s gets %i and the allowed methods', async (method, path, status) => {
  expect(await statusOf(method, path)).toEqual([status, 'GET, POST, OPTIONS'])
})

test('trailing and repeated slashes of a path are ignored', async () => {
  expect((await engine.post('//v1/graphql/', { query: '{ __typename }' })).body).toEqual({
    data: { __typename: 'query_root' },
  })
})

test.each([
  ['a body that is not JSON', '{', { code: 'invalid-json', path: '$' }],
  ['an empty body', '', { code: 'invalid-json', path: '$' }],
  ['a number', '1', { code: 'parse-failed', path: '$' }],
  ['an object without a query', '{}', { code: 'parse-failed', path: '$' }],
  [
    'a query that cannot be parsed',
    '{"query":"}"}',
    { code: 'validation-failed', path: '$.query' },
  ],
])('%s is rejected with HTTP 200', async (_what, body, extensions) => {
  const reply = await sendBody(body)
  expect(reply.status).toBe(200)
  expect(reply.body).toMatchObject({ errors: [{ extensions }] })
})

test.each([
  ['{"query":1}', '$.query', 'parsing Text failed, expected String, but encountered Number'],
  [
    '{"query":"{a}","variables":[]}',
    '$.variables',
    'parsing HashMap failed, expected Object, but encountered Array',
  ],
  [
    '[{"query":"{__typename}"},{"query":null}]',
    '$[1].query',
    'parsing Text failed, expected String, but encountered Null',
  ],
])('the error for the body %s names the invalid part', async (body, path, message) => {
  const reply = await sendBody(body)
  const error = { message, extensions: { path, code: 'parse-failed' } }
  expect(reply.body).toEqual({ errors: [error] })
})

test('a body that is not UTF-8 gets invalid-json', async () => {
  const reply = await sendBody(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))
  expect(reply.body).toMatchObject({ errors: [{ extensions: { code: 'invalid-json' } }] })
})

test.each([
  ['an empty operation name', '{"query":"{__typename}","operationName":""}', 'parse-failed'],
  ['a byte order mark', '\ufeff{"query":"{__typename}"}', 'invalid-json'],
  ['half a surrogate pair', '{"query":"{__typename}","variables":{"a":"\\ud800"}}', 'invalid-json'],
  ['a persisted query alone', '{"extensions":{"persistedQuery":{}}}', 'not-supported'],
])('a body with %s is rejected', async (_what, body, code) => {
  const reply = await sendBody(body)
  expect(reply.body).toMatchObject({ errors: [{ extensions: { code } }] })
})

test('an escaped emoji is read as one character', async () => {
  const reply = await sendBody('{"query":"{__typename}","variables":{"\\ud83d\\ude00":1}}')
  expect(reply.body).toMatchObject({
    errors: [{ message: 'unexpected variables in variableValues: 😀' }],
  })
})
