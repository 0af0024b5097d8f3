import { createPublicKey, randomBytes } from 'node:crypto'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchVia, Visitor } from './browser.ts'
import { authorizeUrl, postForm, registerClient, type TestClient } from './register-client.ts'
import { ISSUER, startTestSignIn, type TestSignIn } from './start-sign-in.ts'

let platform: TestSignIn
let client: TestClient
let other: TestClient

beforeAll(async () => {
  platform = await startTestSignIn()
  client = await registerClient(platform.url)
  other = await registerClient(platform.url)
})
afterAll(() => platform.stop())

async function makeCode(parameters: Record<string, string> = {}): Promise<string> {
  const back = await new Visitor(platform.url).signIn(authorizeUrl(client, parameters))
  return new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

const redeem = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  postForm(platform.url, '/token', { grant_type: 'authorization_code', ...form }, headers)

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

async function makeTokens() {
  const { body } = await redeem({ code: await makeCode() }, { authorization: client.basic })
  return { accessToken: String(body.access_token), idToken: String(body.id_token) }
}

const introspect = (token: string, { basic: authorization } = client) =>
  postForm(platform.url, '/introspect', { token }, { authorization })

async function userinfo(token: string, init: RequestInit = {}) {
  const response = await fetchVia(platform.url)(`${ISSUER}/userinfo`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...init.headers },
  })
  return { status: response.status, headers: response.headers, body: Object(await response.json()) }
}

describe('credentials', () => {
  const refused = { status: 401, body: { code: 'unauthenticated', error: 'invalid_client' } }

  test('in the header, or in the body', async () => {
    const first = await redeem({ code: await makeCode() }, { authorization: client.basic })
    expect(first.status).toBe(200)
    const second = await redeem({
      code: await makeCode(),
      client_id: client.id,
      client_secret: client.secret,
    })
    expect(second.status).toBe(200)
  })

  test.each([
    ['none', () => ({})],
    ['a wrong secret', () => basic(client.id, 'sk_wrong')],
    ["another client's", () => basic(client.id, other.secret)],
    ['an unknown client', () => basic('app_nobody', client.secret)],
    ['no secret', () => basic(client.id, '')],
    ['no colon', () => ({ authorization: `Basic ${Buffer.from(client.id).toString('base64')}` })],
    ['no base64', () => ({ authorization: 'Basic ???' })],
    ['bad form encoding', () => basic(client.id, '%zz')],
    ['a Bearer', () => ({ authorization: `Bearer ${client.secret}` })],
  ])('%s', async (_name, headers) => {
    expect(await redeem({ code: 'x' }, headers())).toMatchObject(refused)
    const reply = await postForm(platform.url, '/introspect', { token: 'x' }, headers())
    expect(reply).toMatchObject(refused)
  })

  test('a stolen hash is no secret', async () => {
    const { rows } = await platform.db.query(
      'select secret_hash from sign_in_client where app_id = $1',
      [client.id],
    )
    expect(rows[0].secret_hash).toMatch(/^[0-9a-f]{64}$/)
    const headers = basic(client.id, rows[0].secret_hash)
    expect(await redeem({ code: 'x' }, headers)).toMatchObject(refused)
  })

  test('in both places they are refused, and in the body they do not count at /introspect', async () => {
    const form = { code: 'x', client_id: client.id, client_secret: client.secret }
    const both = await redeem(form, { authorization: client.basic })
    expect(both).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const reply = await postForm(platform.url, '/introspect', {
      token: 'x',
      client_id: client.id,
      client_secret: client.secret,
    })
    expect(reply).toMatchObject(refused)
  })

  test('a client without a secret redeems nothing', async () => {
    const { rows } = await platform.db.query("insert into team (name) values ('T') returning id")
    const app = await platform.db.query(
      "insert into app (team_id, name) values ($1, 'A') returning id",
      [rows[0].id],
    )
    const id = app.rows[0].id
    await platform.db.query(
      "insert into redirect (app_id, redirect_uri) values ($1, 'https://rp.example/callback')",
      [id],
    )
    for (const secret of ['none', 'undefined', 'null'])
      expect(await redeem({ code: 'x' }, basic(id, secret))).toMatchObject(refused)
    expect(await redeem({ code: 'x', client_id: id })).toMatchObject(refused)
  })
})

describe('the form', () => {
  test.each([
    ['application/json', '{}'],
    ['text/plain', 'grant_type=authorization_code'],
    ['', 'grant_type=authorization_code'],
    ['multipart/form-data; boundary=x', '--x--'],
  ])('of type %j', async (type, body) => {
    for (const path of ['/token', '/introspect']) {
      const response = await fetchVia(platform.url)(`${ISSUER}${path}`, {
        method: 'POST',
        headers: { authorization: client.basic, ...(type && { 'content-type': type }) },
        body: new TextEncoder().encode(body),
      })
      expect([response.status, Object(await response.json()).code]).toEqual([
        400,
        'invalid_content_type',
      ])
    }
  })

  test('a charset beside the type changes nothing', async () => {
    const reply = await redeem(
      { code: await makeCode() },
      {
        authorization: client.basic,
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      },
    )
    expect(reply.status).toBe(200)
  })

  test.each([
    ['no grant type', { grant_type: '' }, 'required', 'grant_type', 'invalid_request'],
    [
      'client_credentials',
      { grant_type: 'client_credentials' },
      'invalid_grant_type',
      'grant_type',
      'unsupported_grant_type',
    ],
    [
      'refresh_token',
      { grant_type: 'refresh_token' },
      'invalid_grant_type',
      'grant_type',
      'unsupported_grant_type',
    ],
    ['no code', {}, 'required', 'code', 'invalid_request'],
    ['an unknown code', { code: 'unknown' }, 'invalid_grant', 'code', 'invalid_grant'],
    [
      'a code of a megabyte',
      { code: 'x'.repeat(50_000) },
      'invalid_grant',
      'code',
      'invalid_grant',
    ],
  ])('%s', async (_name, form, code, attribute, error) => {
    const reply = await redeem(Object(form), { authorization: client.basic })
    expect(reply).toMatchObject({ status: 400, body: { code, attribute, error } })
    expect(Object.keys(reply.body).sort()).toEqual(
      ['attribute', 'code', 'detail', 'error', 'error_description'].sort(),
    )
  })

  test('a parameter sent twice, and a body too large', async () => {
    const form = 'grant_type=authorization_code&code=a&code=b'
    const twice = await postForm(platform.url, '/token', form, { authorization: client.basic })
    expect(twice).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', attribute: 'code' },
    })
    const large = await redeem({ code: 'x'.repeat(100_000) }, { authorization: client.basic })
    expect(large).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  })
})

describe('a code', () => {
  test.each([
    ['a redirect URI that is another', { redirect_uri: 'https://rp.example/other' }],
    ['a verifier that nobody asked for', { code_verifier: 'v'.repeat(43) }],
  ])('with %s', async (_name, form) => {
    const reply = await redeem({ code: await makeCode(), ...form }, { authorization: client.basic })
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test("of another client, which is then still its owner's", async () => {
    const code = await makeCode()
    const stolen = await redeem({ code }, { authorization: other.basic })
    expect(stolen).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await redeem({ code }, { authorization: client.basic })).status).toBe(200)
  })

  test.each([
    ['is missing', {}],
    ['is another', { code_verifier: 'w'.repeat(43) }],
  ])('with PKCE, whose verifier %s', async (_name, form) => {
    const code = await makeCode({
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })
    const reply = await redeem({ code, ...form }, { authorization: client.basic })
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('redeemed again ends what it was redeemed for', async () => {
    const code = await makeCode()
    const first = await redeem({ code }, { authorization: client.basic })
    const token = String(first.body.access_token)
    expect((await userinfo(token)).status).toBe(200)
    const again = await redeem({ code }, { authorization: client.basic })
    expect(again).toMatchObject({ status: 400, body: { code: 'invalid_grant' } })
    expect(await userinfo(token)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    expect(await introspect(token)).toMatchObject({ status: 401, body: { active: false } })
  })

  test('redeemed by twenty at once is redeemed by one at most', async () => {
    const code = await makeCode()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => redeem({ code }, { authorization: client.basic })),
    )
    const statuses = replies.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1)
    expect(new Set(statuses)).toEqual(new Set([200, 400].filter((each) => statuses.includes(each))))
    const won = replies.find(({ status }) => status === 200)
    if (won) expect((await userinfo(String(won.body.access_token))).status).toBe(401)
  })

  test('past its ten minutes', async () => {
    const code = await makeCode()
    await platform.db.query(
      "update oidc_artifact set expires_at = now() - interval '21 seconds', payload = payload || jsonb_build_object('exp', extract(epoch from now())::int - 21) where model = 'AuthorizationCode'",
    )
    const reply = await redeem({ code }, { authorization: client.basic })
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})

describe('access tokens that are none', () => {
  test.each([
    ['text', async () => 'hello'],
    ['an id_token', async () => (await makeTokens()).idToken],
    ['a code', () => makeCode()],
    ['the handle in it', async () => String(decodeJwt((await makeTokens()).accessToken).jti)],
    [
      'one without its signature',
      async () => (await makeTokens()).accessToken.replace(/[^.]+$/, ''),
    ],
    [
      'one with another signature',
      async () => (await makeTokens()).accessToken.replace(/.{8}$/, 'AAAAAAAA'),
    ],
    [
      'one with other claims',
      async () => alter((await makeTokens()).accessToken, 1, { sub: '0x0' }),
    ],
    [
      'alg none',
      async () => alter((await makeTokens()).accessToken, 0, { alg: 'none' }).replace(/[^.]+$/, ''),
    ],
    ['HS256 with our public key', signedWithPublicKey],
    ['one that brings its own key', signedWithOwnKey],
    ['a megabyte', async () => `${'a'.repeat(10_000)}.b.c`],
  ])('%s', async (_name, make) => {
    const token = await make()
    expect(await userinfo(token)).toMatchObject({
      status: 401,
      body: { code: 'invalid_token', error: 'invalid_token', attribute: 'token' },
    })
    expect(await introspect(token)).toMatchObject({
      status: 401,
      body: { active: false, code: 'invalid_token' },
    })
  })
})

describe('/userinfo', () => {
  test('without a token, with another scheme, with the token elsewhere', async () => {
    const { accessToken } = await makeTokens()
    const send = fetchVia(platform.url)
    for (const [url, init] of [
      [`${ISSUER}/userinfo`, {}],
      [`${ISSUER}/userinfo`, { headers: { authorization: client.basic } }],
      [`${ISSUER}/userinfo?access_token=${accessToken}`, {}],
      [
        `${ISSUER}/userinfo`,
        { method: 'POST', body: new URLSearchParams({ access_token: accessToken }) },
      ],
    ] as const) {
      const response = await send(url, init)
      expect([response.status, Object(await response.json()).code]).toEqual([
        401,
        'unauthenticated',
      ])
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /)
    }
  })

  test.each([
    ['GET', {}],
    ['POST', { method: 'POST' }],
    [
      'POST, as JSON without a body',
      { method: 'POST', headers: { 'content-type': 'application/json' } },
    ],
    [
      'POST, with an empty object',
      { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
    ],
  ])('%s', async (_name, init) => {
    const { accessToken } = await makeTokens()
    expect((await userinfo(accessToken, init)).status).toBe(200)
  })

  test('tells what was asked for, and no more', async () => {
    const code = await makeCode({ scope: 'openid' })
    const { body } = await redeem({ code }, { authorization: client.basic })
    const info = await userinfo(String(body.access_token))
    expect(Object.keys(info.body).sort()).toEqual([`${ISSUER}/beta`, 'sub'].sort())
    expect(decodeJwt(String(body.id_token))).not.toHaveProperty('email')
  })
})

test('a client learns nothing about the tokens of another', async () => {
  const { accessToken } = await makeTokens()
  expect(await introspect(accessToken, other)).toMatchObject({
    status: 401,
    body: { active: false },
  })
  expect(await introspect(accessToken)).toMatchObject({ status: 200, body: { active: true } })
})

test('one person is another subject in each app', async () => {
  const mine = decodeJwt((await makeTokens()).accessToken)
  expect(mine).toMatchObject({ iss: ISSUER, aud: `${ISSUER}/userinfo`, client_id: client.id })
  expect(Number(mine.exp) - Number(mine.iat)).toBe(3_600)
})

test('no challenge without a header, which would hide the body from strict clients', async () => {
  const body = await redeem({ code: 'x', client_id: client.id, client_secret: 'sk_wrong' })
  expect([body.status, body.headers.get('www-authenticate')]).toEqual([401, null])
  const header = await redeem({ code: 'x' }, basic(client.id, 'sk_wrong'))
  expect([header.status, header.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringMatching(/^Basic /),
  ])
})

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
    '/register/app_1',
    '/reg',
    '/me',
    '/request',
    '/device/auth',
    '/revocation',
    '/token/revocation',
    '/interaction/x',
    '/.well-known/oauth-authorization-server',
    '/.well-known/webfinger',
    '/assets/../server.ts',
    '/assets/constructor',
    '/assets/__proto__',
    '/%2e%2e/package.json',
  ])('%s is no path', async (path) => {
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${platform.url}${path}`, { method })
      expect([method, response.status]).toEqual([method, expect.toBeOneOf([404, 405])])
    }
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
      expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
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

  test('/introspect and the sign-in page are for none', async () => {
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

test('what is published has no private half, and what is stored opens nothing', async () => {
  const { accessToken, idToken } = await makeTokens()
  const code = await makeCode()
  const { keys } = Object(await (await fetchVia(platform.url)(`${ISSUER}/jwks`)).json())
  for (const key of keys)
    expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'].sort())
  const tables = ['oidc_artifact', 'sign_in_client', 'jwks', 'app', 'redirect']
  for (const table of tables) {
    const { rows } = await platform.db.query(`select t::text as row from ${table} as t`)
    const dump = rows.map(({ row }) => row).join('\n')
    const handle = String(decodeJwt(accessToken).jti)
    for (const secret of [accessToken, idToken, code, client.secret, handle])
      expect(dump.includes(secret), table).toBe(false)
    expect(dump).not.toMatch(/"d":/)
  }
})

function alter(token: string, part: number, change: object): string {
  const parts = token.split('.')
  const value = JSON.parse(Buffer.from(parts[part] ?? '', 'base64url').toString())
  parts[part] = Buffer.from(JSON.stringify({ ...value, ...change })).toString('base64url')
  return parts.join('.')
}

async function signedWithPublicKey(): Promise<string> {
  const { accessToken } = await makeTokens()
  const { keys } = Object(await (await fetchVia(platform.url)(`${ISSUER}/jwks`)).json())
  const pem = createPublicKey({ key: keys[0], format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })
  return new SignJWT(decodeJwt(accessToken))
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: keys[0].kid })
    .sign(Buffer.from(pem))
}

async function signedWithOwnKey(): Promise<string> {
  const { accessToken } = await makeTokens()
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = await exportJWK(publicKey)
  return new SignJWT({ ...decodeJwt(accessToken), nonce: randomBytes(4).toString('hex') })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', jwk })
    .sign(privateKey)
}
