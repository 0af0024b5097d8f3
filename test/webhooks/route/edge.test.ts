import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform

test.beforeAll(({ platform: shared }) => {
  platform = shared
})

const PATH = '/api/v2/verify/app_1'

test.each([
  '/api/v1/precheck/%00',
  '/api/v1/precheck/app_%00',
  '/api/v1/precheck/app_1?action=%00',
])('a zero byte in %s gets an error of the client, not of the server', async (path) => {
  const { status } = await fetch(platform.baseUrl + path)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
})

test.each([
  ['GET', '/api/v2/minikit/transaction/txn_1?app_id=app_1&type=payment', null],
  ['POST', '/v1/graphql', '{"query":"{ app { id } }"}'],
  ['POST', '/hasura/auth', '{"headers":{}}'],
])('the 401 for %s %s names the scheme of the credentials', async (method, path, body) => {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(platform.baseUrl + path, { method, headers, body })
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="api"')
})

describe('a malformed body is rejected', () => {
  test.each([
    ['no body', '', 400, 'invalid_request', null],
    ['half a body', '{"proof":', 400, 'invalid_request', null],
    ['text that is not JSON', 'hello', 400, 'invalid_request', null],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, 'invalid_request', null],
    ['a list', '[]', 400, 'validation_error', null],
    ['a text', '"{}"', 400, 'validation_error', null],
    ['null', 'null', 400, 'validation_error', null],
    ['40,000 nested lists', '['.repeat(40_000) + ']'.repeat(40_000), 400, 'validation_error', null],
    ['one byte too many', pad(100_001), 413, 'payload_too_large', null],
    [
      'as many bytes as allowed, but no field',
      pad(100_000),
      400,
      'validation_error',
      'nullifier_hash',
    ],
  ])('a request with %s is rejected', async (_name, body, status, code, attribute) => {
    const reply = await platform.post(PATH, body)
    expect(reply).toMatchObject({ status, body: { code, attribute } })
    expect(Object.keys(Object(reply.body))).toEqual(['code', 'detail', 'attribute'])
  })

  test.each([
    ['application/json', 400],
    ['application/json; charset=utf-8', 400],
    ['application/json;charset="UTF-8"', 400],
    ['Application/JSON', 400],
    ['application/problem+json', 400],
    ['application/json;', 400],
    ['application/json; profile="ours"', 400],
    ['application/json; version=1; charset=UTF-8', 400],
    ['application/jsonp', 415],
    ['application/json; version=1; charset=latin1', 415],
    ['application/json; charset=utf-16', 415],
    ['application/x-www-form-urlencoded', 415],
    ['text/plain', 415],
  ])('a body of type %s gets %i', async (type, status) => {
    const reply = await platform.post(PATH, {}, { 'content-type': type })
    expect(reply.status).toBe(status)
    if (status === 415)
      expect(reply.body).toMatchObject({ code: 'invalid_content_type', attribute: 'content-type' })
  })

  test('a compressed body is decompressed, and its decompressed size is limited', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const smallReply = await platform.post(PATH, gzipSync('{}'), headers)
    expect(smallReply).toMatchObject({ status: 400, body: { code: 'validation_error' } })
    const bombReply = await platform.post(PATH, gzipSync(pad(50_000_000)), headers)
    expect(bombReply).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  })

  test('a body that does not match its content encoding gets 400', async () => {
    const reply = await platform.post(PATH, '{}', { 'content-encoding': 'gzip' })
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  test.each([PATH, '/v1/graphql'])(
    'a body for %s in an unknown encoding gets 415 with the supported encodings',
    async (path) => {
      const reply = await platform.post(path, '{}', { 'content-encoding': 'rot13' })
      expect(reply).toMatchObject({
        status: 415,
        body: { code: 'invalid_content_type', attribute: 'content-encoding' },
      })
      expect(Object(reply.body).detail).toContain('gzip')
    },
  )

  test('a body cannot change the app of the path, or reach a prototype', async () => {
    const reply = await platform.post(
      PATH,
      '{"app_id":"","__proto__":{"proof":"0x"},"constructor":1}',
    )
    expect(reply).toMatchObject({ status: 400, body: { attribute: 'nullifier_hash' } })
  })
})

describe('an unknown or malformed path is rejected', () => {
  test.each([
    '/',
    '/api',
    '/api/v3/verify/app_1',
    '/api/v2/verify/app_1/more',
    '//',
    '/hasura',
    '/API/v2/verify/app_1',
    '/api/v1/JWKS',
    '/V1/graphql',
  ])('the path %s gets 404', async (path) => {
    const reply = await platform.post(path, {})
    expect(reply).toMatchObject({ status: 404, body: { code: 'not_found', attribute: null } })
  })

  test('a path with malformed percent-encoding gets 400', async () => {
    const reply = await platform.post('/api/v2/verify/%zz', {})
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  test.each([
    ['GET', '/api/v2/verify/app_1', 'POST'],
    ['DELETE', '/v1/graphql', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/healthz', 'GET, HEAD'],
  ])('%s %s gets 405, and the allow header has %s', async (method, path, allow) => {
    const response = await fetch(platform.baseUrl + path, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
    expect(await response.json()).toMatchObject({ code: 'method_not_allowed', attribute: null })
  })
})

describe('a request has an id', () => {
  test('a well-formed request id is kept', async () => {
    const { headers } = await platform.post(PATH, {}, { 'x-request-id': 'order-4711' })
    expect(headers.get('x-request-id')).toBe('order-4711')
  })

  test.each(['', 'a b', 'x'.repeat(65), '{"a":1}'])('the request id %j is replaced', async (id) => {
    const { headers } = await platform.post(PATH, {}, { 'x-request-id': id })
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

test('responses have security headers and do not name the server software', async () => {
  const { headers } = await platform.post(PATH, {})
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('strict-transport-security')).toMatch(/max-age=\d+/)
  expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'")
  expect(headers.get('x-powered-by')).toBeNull()
  expect(headers.get('access-control-allow-origin')).toBeNull()
})

test('errors have cache-control: no-store, and the public keys may be cached for 300 seconds', async () => {
  for (const path of [PATH, '/api/v1/login', '/api/v1/precheck/app_1', '/nowhere'])
    expect((await platform.post(path, {})).headers.get('cache-control')).toBe('no-store')
  const { headers } = await fetch(`${platform.baseUrl}/api/v1/jwks`)
  expect(headers.get('cache-control')).toBe('public, max-age=300')
})

test.each([
  ['two content lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
  [
    'a content length next to chunks',
    'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a header without a colon', 'nonsense\r\n\r\n'],
])('a request with %s is rejected by the parser', async (_name, headerLines) => {
  const answer = await sendRaw(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n${headerLines}`)
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
})

test('liveness and readiness have separate endpoints', async () => {
  const alive = await fetch(`${platform.baseUrl}/healthz`)
  expect([alive.status, await alive.text()]).toEqual([200, 'OK'])
  const ready = await fetch(`${platform.baseUrl}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { ready: true, checks: { graphql: 'ok', chain: 'ok' } },
  ])
})

/** Returns a JSON object of exactly this many bytes. */
function pad(bytes: number): string {
  return `{"x":"${'y'.repeat(bytes - 8)}"}`
}

function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(platform.baseUrl).port), '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('end', () => resolve(answer)).on('error', reject)
    socket.write(text)
  })
}
