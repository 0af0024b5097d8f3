import { describe, expect } from 'vitest'
import { routes } from '../../../webhooks/app.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

const PAGE = { origin: 'https://example.com', cookie: 'a=1', accept: 'application/json' }

let platform: TestPlatform

test.beforeAll(({ platform: shared }) => {
  platform = shared
})

test('pages of any origin may use exactly the listed routes', () => {
  const sharedPaths = routes
    .filter(({ audience }) => audience.pages === 'any')
    .map(({ path }) => path)
  expect(sharedPaths.toSorted()).toEqual([
    '/api/v1/jwks',
    '/api/v1/login',
    '/api/v1/precheck{/:app_id}',
    '/api/v1/precheck{/:id}',
    '/api/v1/resend-verification',
    '/api/v1/signup',
    '/api/v1/verify',
    '/api/v2/minikit/transaction',
    '/api/v2/minikit/transaction{/:transaction_id}',
    '/api/v2/minikit/userop{/:user_op_hash}',
    '/api/v4/proof-context{/:id}',
    '/openapi.json',
    '/public/v1/miniapps/prices',
    // GET and POST of the same path.
    '/v1/graphql',
    '/v1/graphql',
  ])
})

const otherPaths = routes
  .filter(({ audience }) => audience.pages !== 'any')
  .map(({ path }) => path.replace(/\{\/:(\w+)\}$/, '/$1'))

describe.each([
  ['/api/v1/verify', 'POST'],
  ['/api/v1/precheck/app_1', 'GET, HEAD, POST'],
  ['/api/v1/precheck/action_1', 'GET, HEAD, POST'],
  ['/api/v1/jwks', 'GET, HEAD, POST'],
  ['/api/v4/proof-context/app_1', 'POST'],
  ['/api/v2/minikit/transaction/txn_1', 'GET, HEAD'],
  ['/api/v2/minikit/transaction?reference=r', 'GET, HEAD'],
  ['/public/v1/miniapps/prices', 'GET, HEAD'],
  ['/api/v1/login', 'POST'],
  ['/api/v1/signup', 'POST'],
  ['/api/v1/resend-verification', 'POST'],
  ['/v1/graphql', 'GET, HEAD, POST'],
])('pages of any origin may use %s', (path, methods) => {
  test('the preflight lists the methods and headers that a page may send', async () => {
    const headers = { ...PAGE, 'access-control-request-method': 'POST' }
    const response = await fetch(platform.baseUrl + path, { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-methods')).toBe(methods)
    // `authorization` has the credentials, and the specification requires `content-type` (section 1). Some browsers let
    // a page set `user-agent`.
    const allowed = response.headers.get('access-control-allow-headers')?.split(', ')
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'user-agent']))
    expectShared(response.headers)
  })

  test('a page may read responses, including errors', async () => {
    for (const body of [{}, 'half a body']) {
      const { headers } = await platform.post(path, body, PAGE)
      expectShared(headers)
      expect(headers.get('access-control-expose-headers')).toContain('x-request-id')
    }
    const rejection = await fetch(platform.baseUrl + path, { method: 'PUT', headers: PAGE })
    expect(rejection.status).toBe(405)
    expect(rejection.headers.get('allow')).toBe(`${methods}, OPTIONS`)
    expectShared(rejection.headers)
  })
})

test.each([...new Set(otherPaths)])('a page of another origin may not use %s', async (path) => {
  const preflight = await fetch(platform.baseUrl + path, { method: 'OPTIONS', headers: PAGE })
  expect(preflight.status).toBe(405)
  for (const { headers } of [preflight, await platform.post(path, {}, PAGE)])
    for (const name of headers.keys()) expect(name).not.toMatch(/^access-control-allow-/)
})

/** Checks that pages of any origin may read the response, unless the browser sent cookies with the request. */
function expectShared(headers: Headers) {
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
}
