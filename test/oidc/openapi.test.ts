import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect } from 'vitest'
import { tablesBySection } from '../support/markdown-tables.ts'
import { signInDescription } from '../support/oidc/contract.ts'
import {
  authorizeUrl,
  CALLBACK,
  registerClient,
  type TestClient,
} from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { createTokenCalls } from '../support/oidc/token-calls.ts'
import { fetchVia } from '../support/oidc/visitor.ts'
import { examplesOf, operationsOf } from '../support/openapi/examples.ts'

const document = signInDescription(ISSUER)
const operations = operationsOf(document)
const ajv = new Ajv2020({ strict: false, validateFormats: false })

let server: TestSignIn
let client: TestClient

test.beforeAll(async ({ signIn: shared }) => {
  server = shared
  client = await registerClient(server.url)
})

const { makeCode, makeTokens } = createTokenCalls(() => ({ url: server.url, client }))

test('/openapi.json is valid OpenAPI 3.1, and pages of any origin can read it', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  const response = await fetchVia(server.url)(`${ISSUER}/openapi.json`)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(await response.json()).toEqual(document)
})

test('/openapi.json has every endpoint of section 4.3 except /readyz, which the proxy does not pass on', () => {
  const [rows = []] =
    tablesBySection(readFileSync('docs/specification.md', 'utf8')).get('4.3') ?? []
  const documentedNames = rows.flatMap(({ Method = '', Path = '' }) =>
    Method.split(', ').map((method) => `${method} ${Path}`),
  )
  const names = operations.map(({ name }) => name)
  expect(names.sort()).toEqual(documentedNames.filter((name) => name !== 'GET /readyz').sort())
})

test.each(operations)(
  '$name has every example, and the examples match their schemas',
  (operation) => {
    expect(examplesOf(operation)).toEqual({ missing: [], invalid: [] })
  },
)

type TestRequest = { path: string; init?: RequestInit }

/** Requests that succeed or fail, by operation and expected status. */
const calls: Record<string, () => TestRequest | Promise<TestRequest>> = {
  'GET /.well-known/openid-configuration 200': () => ({
    path: '/.well-known/openid-configuration',
  }),
  'GET /jwks 200': () => ({ path: '/jwks' }),
  'GET /openapi.json 200': () => ({ path: '/openapi.json' }),
  'GET /healthz 200': () => ({ path: '/healthz' }),
  'POST /register 201': () => register({ redirect_uris: [CALLBACK] }),
  'POST /register 201 with lists': () =>
    register({ redirect_uris: [CALLBACK], grant_types: ['authorization_code'] }),
  'POST /register 201 of a public client': () =>
    register({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
  'POST /register 400': () => register({}),
  'POST /register 413': () => register({ client_name: 'x'.repeat(70_000) }),
  'POST /register 400 of an unknown encoding': () => ({
    path: '/register',
    init: { method: 'POST', body: '{}', headers: { 'content-encoding': 'x' } },
  }),
  'GET /register/{client_id} 200': async () => {
    const { path, init } = register({ redirect_uris: [CALLBACK] })
    const registration = Object(await (await fetchVia(server.url)(`${ISSUER}${path}`, init)).json())
    return bearer(`/register/${registration.client_id}`, registration.registration_access_token)
  },
  'GET /register/{client_id} 401': () => bearer('/register/app_none', 'x'),
  'GET /authorize 303': () => ({ path: authorizeUrl(client).replace(ISSUER, '') }),
  'GET /authorize 400 of a browser': () => ({
    path: '/authorize?client_id=none',
    init: { headers: { accept: 'text/html' } },
  }),
  'GET /authorize 400': () => ({ path: '/authorize?client_id=none' }),
  'POST /token 200': async () =>
    form('/token', { grant_type: 'authorization_code', code: await makeCode() }),
  'POST /token 400': () => form('/token', { grant_type: 'authorization_code', code: 'x' }),
  'POST /token 400 of another type': () => ({
    path: '/token',
    init: { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
  }),
  'POST /token 413': () => form('/token', { code: 'x'.repeat(70_000) }),
  'POST /token 401': () =>
    form(
      '/token',
      { grant_type: 'authorization_code', code: 'x' },
      { authorization: 'Basic YTpi' },
    ),
  'POST /introspect 200': async () =>
    form('/introspect', { token: (await makeTokens()).accessToken }),
  'POST /introspect 400': () => form('/introspect', {}),
  'POST /introspect 413': () => form('/introspect', { token: 'x'.repeat(70_000) }),
  'POST /introspect 200 of an inactive token': () => form('/introspect', { token: 'x' }),
  'POST /introspect 401 of a client': () =>
    form('/introspect', { token: 'x' }, { authorization: '' }),
  'GET /userinfo 200': async () => bearer('/userinfo', (await makeTokens()).accessToken),
  'POST /userinfo 200': async () => {
    const { path, init } = bearer('/userinfo', (await makeTokens()).accessToken)
    return { path, init: { ...init, method: 'POST' } }
  },
  'GET /userinfo 401': () => bearer('/userinfo', 'x'),
  'POST /userinfo 401': () => ({ path: '/userinfo', init: { method: 'POST' } }),
}

describe('the responses match /openapi.json', () => {
  test.each(Object.entries(calls))(
    'the response of %s matches /openapi.json',
    async (title, call) => {
      const [method, path, status] = title.split(' ')
      const { path: target, init } = await call()
      const response = await fetchVia(server.url)(`${ISSUER}${target}`, {
        redirect: 'manual',
        ...init,
      })
      expect(response.status).toBe(Number(status))
      const operation = operations.find(({ name }) => name === `${method} ${path}`)
      const content = operation?.responses[String(status)]?.content ?? {}
      const type = response.headers.get('content-type')?.split(';')[0] ?? ''
      if (!type.endsWith('json'))
        return expect(['', ...Object.keys(content)]).toContain(content[type] ? type : '')
      const media = content[type]
      const matches = ajv.compile(media?.schema ?? { not: {} })
      const body: unknown = await response.json()
      expect([matches(body), matches.errors, body]).toEqual([true, null, body])
    },
  )

  test('the tested requests contain a successful request of every operation', () => {
    const succeeding = Object.keys(calls).filter((title) => / [23]\d\d/.test(title))
    for (const { name } of operations)
      expect(succeeding).toContainEqual(expect.stringContaining(`${name} `))
  })
})

function register(body: object): { path: string; init: RequestInit } {
  return { path: '/register', init: { method: 'POST', body: JSON.stringify(body) } }
}

function bearer(path: string, token: string): { path: string; init: RequestInit } {
  return { path, init: { headers: { authorization: `Bearer ${token}` } } }
}

function form(
  path: string,
  body: Record<string, string>,
  headers: Record<string, string> = {},
): TestRequest {
  return {
    path,
    init: {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: client.basic,
        ...headers,
      },
      body: new URLSearchParams(body),
    },
  }
}
