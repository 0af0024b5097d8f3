import { describe, expect } from 'vitest'
import { rawRequest } from '../support/oidc/raw-request.ts'
import { registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { basic, tokenCalls } from '../support/oidc/token-calls.ts'
import { fetchVia } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient

test.beforeAll(async ({ signIn: shared }) => {
  platform = shared
  client = await registerClient(platform.url)
})

const { makeCode, makeTokens } = tokenCalls(() => ({
  url: platform.url,
  client,
}))

describe('methods and paths', () => {
  test.each([
    ['/.well-known/openid-configuration', ['GET', 'HEAD', 'OPTIONS']],
    ['/jwks', ['GET', 'HEAD', 'OPTIONS']],
    ['/register', ['POST', 'OPTIONS']],
    ['/authorize', ['GET', 'HEAD']],
    ['/token', ['POST', 'OPTIONS']],
    ['/introspect', ['POST']],
    ['/userinfo', ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ])('%s has %j', async (path, methods) => {
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
  ])('%s is no path', async (path) => {
    expect(await rawRequest(platform.url, `GET ${path}`)).toMatch(/^HTTP\/1\.1 404 /)
    // Below /assets, only GET is routed at all.
    expect(await rawRequest(platform.url, `POST ${path}`)).toMatch(/^HTTP\/1\.1 40[45] /)
  })
})

describe('pages of other origins', () => {
  const ask = (path: string, origin: string, init: RequestInit = {}) =>
    fetchVia(platform.url)(`${ISSUER}${path}`, { ...init, headers: { origin, ...init.headers } })

  test.each(['/.well-known/openid-configuration', '/jwks', '/userinfo'])(
    '%s is for all, without credentials',
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
      // `*` covers what pages add for tracing, but never `authorization` (Fetch, CORS protocol).
      const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ')
      expect(allowed).toEqual(expect.arrayContaining(['authorization', '*']))
    },
  )

  test("/token is for the client's own", async () => {
    const form = async () => ({
      method: 'POST',
      headers: {
        authorization: client.basic,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'authorization_code', code: await makeCode() }),
    })
    const own = await ask('/token', 'https://rp.example', await form())
    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://rp.example',
    ])
    const foreign = await ask('/token', 'https://evil.example', await form())
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    expect(foreign.status).toBe(400)
  })

  test.each([
    ['a body that is no form', { 'content-type': 'application/json' }, '{}'],
    ['no code', {}, 'grant_type=authorization_code'],
    ['no credentials', { authorization: '' }, 'grant_type=authorization_code&code=x'],
    [
      'an unknown client',
      { authorization: basic('nobody', 'x') },
      'grant_type=authorization_code&code=x',
    ],
  ] as [string, Record<string, string>, string][])(
    'what /token refuses can be read, by whose page it may be: %s',
    async (_name, headers, body) => {
      const { status, headers: told } = await ask('/token', 'https://rp.example', {
        method: 'POST',
        headers: {
          authorization: client.basic,
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        body,
      })
      expect([400, 401]).toContain(status)
      expect(told.get('access-control-allow-origin')).toBeOneOf(['*', 'https://rp.example'])
      expect(told.get('access-control-allow-credentials')).toBeNull()
    },
  )

  test('/introspect and the sign-in page are closed to them', async () => {
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
