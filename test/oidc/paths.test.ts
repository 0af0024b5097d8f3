import { describe, expect } from 'vitest'
import { rawRequest } from '../support/oidc/raw-request.ts'
import { registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { basic, createTokenCalls } from '../support/oidc/token-calls.ts'
import { fetchVia } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient

test.beforeAll(async ({ signIn: shared }) => {
  platform = shared
  client = await registerClient(platform.url)
})

const { makeCode, makeTokens } = createTokenCalls(() => ({
  url: platform.url,
  client,
}))

describe('the server answers only the listed paths and methods', () => {
  test.each([
    ['/.well-known/openid-configuration', ['GET', 'HEAD', 'OPTIONS']],
    ['/jwks', ['GET', 'HEAD', 'OPTIONS']],
    ['/register', ['POST', 'OPTIONS']],
    ['/authorize', ['GET', 'HEAD']],
    ['/token', ['POST', 'OPTIONS']],
    ['/introspect', ['POST']],
    ['/userinfo', ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ])('the path %s allows only the methods %j', async (path, methods) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetchVia(platform.url)(`${ISSUER}${path}`, { method })
      if (methods.includes(method)) {
        expect([method, response.status]).not.toEqual([method, 405])
        continue
      }
      expect([method, response.status]).toEqual([method, 405])
      expect(response.headers.get('allow')?.split(', ').sort()).toEqual([...methods].sort())
      expect(await response.json()).toMatchObject({ code: 'method_not_allowed', attribute: null })
    }
  })

  test.each([
    '/',
    '/JWKS',
    '/jwks/',
    '/Token',
    '/token/',
    '//token',
    '/session/end',
    '/session/end/confirm',
    '/reg',
    '/me',
    '/request',
    '/device/auth',
    '/revocation',
    '/token/revocation',
    '/interaction/x',
    '/.well-known/oauth-authorization-server',
    '/.well-known/webfinger',
    '/./token',
    '/x/../token',
    '/tok%65n',
    '/token%2f',
    '/token%00',
    '/token;x',
    '/\\token',
    '/assets/../server.ts',
    '/assets/..%2fserver.ts',
    '/assets/constructor',
    '/assets/__proto__',
    '/%2e%2e/package.json',
    '/%zz',
    '*',
  ])('the path %s gets 404', async (path) => {
    expect(await rawRequest(platform.url, `GET ${path}`)).toMatch(/^HTTP\/1\.1 404 /)
    // Below /assets, other methods than GET get 405.
    expect(await rawRequest(platform.url, `POST ${path}`)).toMatch(/^HTTP\/1\.1 40[45] /)
  })
})

describe('pages of other origins may call some endpoints (CORS)', () => {
  const ask = (path: string, origin: string, init: RequestInit = {}) =>
    fetchVia(platform.url)(`${ISSUER}${path}`, { ...init, headers: { origin, ...init.headers } })

  test.each(['/.well-known/openid-configuration', '/jwks', '/userinfo'])(
    'pages of any origin may call %s without credentials',
    async (path) => {
      const { headers } = await ask(path, 'https://anybody.example')
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      const preflight = await ask(path, 'https://anybody.example', {
        method: 'OPTIONS',
        headers: {
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      })
      expect(preflight.status).toBe(204)
      // `*` allows the headers that pages add for tracing, but never `authorization` (Fetch, CORS protocol).
      const allowedHeaders = preflight.headers.get('access-control-allow-headers')?.split(', ')
      expect(allowedHeaders).toEqual(expect.arrayContaining(['authorization', '*']))
    },
  )

  test("only pages of the client's origins may call /token", async () => {
    const form = async () => ({
      method: 'POST',
      headers: {
        authorization: client.basic,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'authorization_code', code: await makeCode() }),
    })
    const allowedHeaders = await ask('/token', 'https://rp.example', await form())
    expect([
      allowedHeaders.status,
      allowedHeaders.headers.get('access-control-allow-origin'),
    ]).toEqual([200, 'https://rp.example'])
    const foreign = await ask('/token', 'https://evil.example', await form())
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    expect(foreign.status).toBe(400)
  })

  test.each([
    ['a body that is not a form', { 'content-type': 'application/json' }, '{}'],
    ['no code', {}, 'grant_type=authorization_code'],
    ['no credentials', { authorization: '' }, 'grant_type=authorization_code&code=x'],
    [
      'an unknown client',
      { authorization: basic('nobody', 'x') },
      'grant_type=authorization_code&code=x',
    ],
  ] as [string, Record<string, string>, string][])(
    'a page can read the error of /token for %s',
    async (_name, headers, body) => {
      const { status, headers: responseHeaders } = await ask('/token', 'https://rp.example', {
        method: 'POST',
        headers: {
          authorization: client.basic,
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        body,
      })
      expect([400, 401]).toContain(status)
      expect(responseHeaders.get('access-control-allow-origin')).toBeOneOf([
        '*',
        'https://rp.example',
      ])
      expect(responseHeaders.get('access-control-allow-credentials')).toBeNull()
    },
  )

  test('pages of other origins may not call /introspect', async () => {
    const { accessToken } = await makeTokens()
    for (const token of ['', accessToken]) {
      const { headers } = await ask('/introspect', 'https://rp.example', {
        method: 'POST',
        headers: {
          authorization: client.basic,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ token }),
      })
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})
