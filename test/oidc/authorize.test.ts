import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import { rawRequest } from '../support/oidc/raw-request.ts'
import {
  authorizeUrl,
  CALLBACK,
  postForm,
  registerClient,
  type TestClient,
} from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient

test.beforeAll(async ({ signIn: shared }) => {
  platform = shared
  client = await registerClient(platform.url)
})

/** The answer of /authorize to a client, which follows no redirect. */
async function ask(url: string, headers: Record<string, string> = {}) {
  const response = await fetchVia(platform.url)(url, { headers })
  const location = response.headers.get('location')
  const text = await response.text()
  const json = text.startsWith('{') ? JSON.parse(text) : {}
  return { status: response.status, location, text, ...json }
}

/** The parameters that the redirect passes to the client. */
function told(location: string | null) {
  const { search, hash } = new URL(location ?? '')
  return Object.fromEntries(new URLSearchParams(search || hash.slice(1)))
}

describe('what is missing is named, and nobody is redirected', () => {
  test.each(['response_type', 'scope', 'client_id', 'redirect_uri'])('%s', async (name) => {
    for (const url of [
      authorizeUrl(client, { [name]: '' }),
      `${authorizeUrl(client, { [name]: '' })}&${name}=`,
    ])
      expect(await ask(url)).toMatchObject({
        status: 400,
        location: null,
        code: 'required',
        attribute: name,
        error: 'invalid_request',
      })
  })

  test.each(['client_id', 'redirect_uri'])('%s, which comes twice', async (attribute) => {
    const url = authorizeUrl(client)
    const again = new URL(url).searchParams.get(attribute) ?? ''
    for (const value of [again, 'https://evil.example/'])
      expect(await ask(`${url}&${attribute}=${encodeURIComponent(value)}`)).toMatchObject({
        status: 400,
        location: null,
        code: 'invalid_request',
        attribute,
      })
  })

  test('a client that does not exist', async () => {
    expect(await ask(authorizeUrl({ ...client, id: 'app_nobody' }))).toMatchObject({
      status: 400,
      location: null,
      code: 'invalid_client_id',
      attribute: 'client_id',
      error: 'invalid_client',
    })
  })

  test.each([
    ['client_id', 'invalid_client_id'],
    ['state', 'invalid_request'],
    ['nonce', 'invalid_request'],
    ['login_hint', 'invalid_request'],
    ['__proto__', 'invalid_request'],
  ])('a zero character in %s, which no database keeps', async (attribute, code) => {
    expect(await ask(authorizeUrl(client, { [attribute]: 'a\0' }))).toMatchObject({
      status: 400,
      location: null,
      code,
      attribute,
    })
  })

  test('a person gets a page, which names it too', async () => {
    const url = authorizeUrl(client)
    for (const [wrong, words] of [
      [authorizeUrl(client, { scope: '' }), 'scope is required.'],
      [`${url}&client_id=x`, 'client_id was sent more than once.'],
    ] as const) {
      const answer = await ask(wrong, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
      expect(answer).toMatchObject({ status: 400, location: null })
      expect(answer.text).toContain(
        '<h1>This sign-in cannot go on</h1><p>The app that sent you here',
      )
      expect(answer.text).toContain(`<p class="note">For developers: ${words}</p>`)
    }
  })
})

describe('a redirect URI must be the registered one, to the letter', () => {
  test.each([
    'https://evil.example/callback',
    'https://rp.example/callback/',
    'https://rp.example/callback?next=1',
    'https://rp.example/Callback',
    'https://RP.example/callback',
    'https://rp.example:443/callback',
    'https://rp.example:8443/callback',
    'https://rp.example/%63allback',
    'https://user@rp.example/callback',
    'https://rp.example/callback#fragment',
    'https://rp.example/x/../callback',
    'https://rp.example\\@evil.example/callback',
    'http://rp.example/callback',
    ' https://rp.example/callback',
    'https://rp.example/callback\u0000',
    '//rp.example/callback',
    'javascript:alert(1)',
  ])('%j', async (redirect_uri) => {
    expect(await ask(authorizeUrl(client, { redirect_uri }))).toMatchObject({
      status: 400,
      location: null,
      code: 'invalid_redirect_uri',
      attribute: 'redirect_uri',
    })
  })

  test('those of development, too', async () => {
    const DEVELOPMENT_REDIRECT_URIS = 'http://localhost:4000/callback'
    const { url } = await platform.startAnother({ env: { DEVELOPMENT_REDIRECT_URIS } })
    const begin = async (redirect_uri: string) =>
      (await fetchVia(url)(authorizeUrl(client, { redirect_uri }))).status
    expect(await begin(DEVELOPMENT_REDIRECT_URIS)).toBe(303)
    for (const other of ['localhost:4001', 'localhost', '127.0.0.1:4000'])
      expect(await begin(`http://${other}/callback`), other).toBe(400)
  })

  test('also when the person comes back, who may take minutes', async () => {
    const other = await registerClient(platform.url)
    let { url } = platform
    const visitor = new Visitor(() => url)
    const answer = await visitor.prove(await visitor.begin(authorizeUrl(other)))
    const { redirect_to } = Object(await answer.json())
    await platform.db.query('update redirect set redirect_uri = $1 where app_id = $2', [
      'https://elsewhere.example/',
      other.id,
    ])
    // A new instance, which has not cached the app yet.
    url = (await platform.startAnother()).url
    const back = await visitor.request(redirect_to, { headers: { accept: 'application/json' } })
    expect([back.status, back.headers.get('location')]).toEqual([400, null])
    expect(await back.json()).toMatchObject({ code: 'invalid_redirect_uri' })
  })

  test('also when the app has another, which no browser could follow', async () => {
    const other = await registerClient(platform.url)
    await platform.db.query('insert into redirect (app_id, redirect_uri) values ($1, $2)', [
      other.id,
      'https://300.1.1.1/',
    ])
    expect(await ask(authorizeUrl(other))).toMatchObject({ status: 303 })
    expect(await ask(authorizeUrl(other, { redirect_uri: 'https://300.1.1.1/' }))).toMatchObject({
      status: 400,
      code: 'invalid_redirect_uri',
    })
  })
})

describe('every later error goes to the client', () => {
  test.each([
    ['token alone', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown type', { response_type: 'code saml' }, 'unsupported_response_type'],
    [
      'query for an id_token',
      { response_type: 'id_token', response_mode: 'query' },
      'invalid_request',
    ],
    ['an unknown mode', { response_mode: 'web_message' }, 'unsupported_response_mode'],
    ['__proto__ as the mode', { response_mode: '__proto__' }, 'unsupported_response_mode'],
    ['jwt as the mode', { response_mode: 'jwt' }, 'unsupported_response_mode'],
    ['an id_token without nonce', { response_type: 'id_token', nonce: '' }, 'invalid_request'],
    ['no openid', { scope: 'phone', nonce: '' }, 'invalid_scope'],
    ['a nonce without openid', { scope: 'email' }, 'invalid_scope'],
    [
      'a hint without openid',
      { scope: 'email', id_token_hint: 'x', max_age: '1' },
      'invalid_scope',
    ],
    [
      'an id_token without openid',
      { scope: 'email', response_type: 'id_token' },
      'invalid_request',
    ],
    ['prompt=none', { prompt: 'none' }, 'login_required'],
    ['a request object', { request: 'e30.e30.e30' }, 'request_not_supported'],
    [
      'a request object elsewhere',
      { request_uri: 'https://evil.example/' },
      'request_uri_not_supported',
    ],
    [
      'plain PKCE',
      { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
      'invalid_request',
    ],
    ['another resource', { resource: 'https://evil.example/' }, 'invalid_target'],
    ['metadata of a client', { registration: '{}' }, 'registration_not_supported'],
    [
      'a request object, for an id_token',
      { request: 'e30.e30.e30', response_type: 'id_token' },
      'request_not_supported',
    ],
  ])('%s', async (_name, parameters, error) => {
    const { status, location } = await ask(authorizeUrl(client, parameters))
    expect(status).toBe(303)
    expect(location?.startsWith(CALLBACK)).toBe(true)
    expect(told(location)).toMatchObject({
      error,
      error_description: expect.stringMatching(/\w/),
      state: 'some-state',
      iss: ISSUER,
    })
    expect(told(location)).not.toHaveProperty('code')
  })

  test('with its words in a form, too, and the page still runs its own script only', async () => {
    const parameters = { request: 'e30.e30.e30', response_mode: 'form_post' }
    const response = await fetchVia(platform.url)(authorizeUrl(client, parameters))
    const html = await response.text()
    const fields = [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)]
    expect(Object.fromEntries(fields.map(([, name, value]) => [name, value]))).toMatchObject({
      error: 'request_not_supported',
      error_description: expect.stringMatching(/\w/),
      state: 'some-state',
    })
    const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? []
    const digest = createHash('sha256').update(script).digest('base64')
    expect(response.headers.get('content-security-policy')).toContain(`'sha256-${digest}'`)
  })

  test('a type that the client did not register', async () => {
    const plain = await registerClient(platform.url, { grant_types: 'authorization_code' })
    const { location } = await ask(authorizeUrl(plain, { response_type: 'id_token' }))
    expect(told(location)).toMatchObject({
      error: 'unauthorized_client',
      error_description: 'requested response_type is not allowed for this client',
      state: 'some-state',
    })
    const inForm = { response_type: 'id_token', response_mode: 'form_post' }
    const { text } = await ask(authorizeUrl(plain, inForm))
    expect(text).toContain('name="error" value="unauthorized_client"')
    // The same words in a parameter of the request change nothing else.
    const state = 'error=invalid_request&error_description=requested response_type is not'
    const other = await ask(authorizeUrl(client, { prompt: 'none', state }))
    expect(told(other.location)).toMatchObject({ error: 'login_required', state })
  })

  test.each(['login', 'consent', 'select_account', 'login consent'])(
    'prompt=%s is what happens anyway',
    async (prompt) => {
      const back = await new Visitor(platform.url).signIn(authorizeUrl(client, { prompt }))
      expect(told(back.headers.get('location'))).toMatchObject({ code: expect.any(String) })
    },
  )

  test('unknown scopes are ignored', async () => {
    const back = await new Visitor(platform.url).signIn(
      authorizeUrl(client, { scope: 'openid address offline_access' }),
    )
    const { code = '' } = told(back.headers.get('location'))
    const tokens = await postForm(
      platform.url,
      '/token',
      { grant_type: 'authorization_code', code },
      { authorization: client.basic },
    )
    expect(tokens.body).toMatchObject({ scope: 'openid' })
    expect(tokens.body).not.toHaveProperty('refresh_token')
  })
})

describe('the host that a caller names changes nothing', () => {
  test.each([
    ['Host', { host: 'evil.example' }],
    ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }],
    ['Forwarded', { forwarded: 'host=evil.example;proto=http' }],
  ])('%s', async (_name, headers) => {
    const discovery = await ask(`${ISSUER}/.well-known/openid-configuration`, headers)
    expect(discovery.text).not.toContain('evil')
    expect(discovery).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
    })
  })

  test('an absolute request line', async () => {
    const text = await rawRequest(
      platform.url,
      'GET https://evil.example/.well-known/openid-configuration',
    )
    expect(text).toContain(`"token_endpoint":"${ISSUER}/token"`)
    expect(text).not.toContain('evil')
  })

  test('cookies are for the browser alone, over HTTPS, and for this sign-in', async () => {
    const response = await fetchVia(platform.url)(authorizeUrl(client))
    const cookies = response.headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^_(interaction|resume)(\.sig)?=/)
      expect(cookie).toMatch(/; path=\/(login|authorize)\/[\w-]+;/)
      expect(cookie).toMatch(/; samesite=lax; secure; httponly/i)
    }
  })
})

test('a redirect, to the page or to the client, names no website to the next', async () => {
  const visitor = new Visitor(platform.url)
  const begun = await visitor.request(authorizeUrl(client))
  const back = await visitor.signIn(authorizeUrl(client))
  for (const { status, headers } of [begun, back]) {
    expect([status, headers.get('referrer-policy')]).toEqual([303, 'no-referrer'])
    expect(headers.get('x-frame-options')).toBe('DENY')
  }
})

test('the page that posts itself may run its own script, and post to clients that send people on', async () => {
  const back = await new Visitor(platform.url).signIn(
    authorizeUrl(client, { response_type: 'code id_token', response_mode: 'form_post' }),
  )
  expect(back.status).toBe(200)
  expect(back.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'sha256-[\w+/=]+'; form-action https: https:\/\/rp\.example; frame-ancestors 'none'; base-uri 'none'$/,
  )
  expect(back.headers.get('cache-control')).toContain('no-store')
  // With `no-referrer`, browsers would post with `Origin: null`.
  expect(back.headers.get('referrer-policy')).toBe('strict-origin')
})

describe('id_token_hint', () => {
  const signInAs = async (nullifier: bigint, parameters: Record<string, string>) => {
    const url = authorizeUrl(client, { response_type: 'id_token', ...parameters })
    const back = await new Visitor(platform.url).signIn(url, { nullifier })
    return told(back.headers.get('location'))
  }

  test('lets the same person through, and nobody else', async () => {
    const { id_token = '' } = await signInAs(1_001n, {})
    const hint = { id_token_hint: id_token }
    expect(await signInAs(1_001n, hint)).toMatchObject({ id_token: expect.any(String) })
    const stranger = await signInAs(1_002n, hint)
    expect(stranger).toMatchObject({ error: 'login_required', state: 'some-state' })
    expect(stranger).not.toHaveProperty('id_token')
  })

  test('that we did not issue is refused at once', async () => {
    const { location } = await ask(authorizeUrl(client, { id_token_hint: 'e30.e30.e30' }))
    expect(told(location)).toMatchObject({ error: 'invalid_request' })
  })
})
