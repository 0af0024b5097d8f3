import { describe, expect } from 'vitest'
import { postForm, registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { basic, createTokenCalls } from '../support/oidc/token-calls.ts'
import { fetchVia } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient
let otherClient: TestClient

test.beforeAll(async ({ signIn: shared }) => {
  platform = shared
  client = await registerClient(platform.url)
  otherClient = await registerClient(platform.url)
})

const { makeCode, redeem, introspect, userinfo } = createTokenCalls(() => ({
  url: platform.url,
  client,
}))

describe('/token and /introspect require valid credentials', () => {
  const unauthenticated = {
    status: 401,
    body: { code: 'unauthenticated', error: 'invalid_client' },
  }

  test('/token accepts credentials in the header and in the body', async () => {
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
    ['no credentials', () => ({})],
    ['a wrong secret', () => basic(client.id, 'sk_wrong')],
    ["another client's secret", () => basic(client.id, otherClient.secret)],
    ['an unknown client id', () => basic('app_nobody', client.secret)],
    ['an empty secret', () => basic(client.id, '')],
    [
      'credentials without a colon',
      () => ({ authorization: `Basic ${Buffer.from(client.id).toString('base64')}` }),
    ],
    ['credentials that are not base64', () => ({ authorization: 'Basic ???' })],
    ['bad form encoding', () => basic(client.id, '%zz')],
    ['a client id with U+0000', () => basic('\0', 'x')],
    ['the secret as a Bearer token', () => ({ authorization: `Bearer ${client.secret}` })],
  ])('%s gets 401', async (_name, headers) => {
    expect(await redeem({ code: 'x' }, headers())).toMatchObject(unauthenticated)
    const reply = await postForm(platform.url, '/introspect', { token: 'x' }, headers())
    expect(reply).toMatchObject(unauthenticated)
  })

  test('a client id in the body gets 401 if it has a character that client ids never have', async () => {
    for (const client_id of ['\0', 'ü'])
      expect(await redeem({ code: 'x', client_id, client_secret: 'x' })).toMatchObject(
        unauthenticated,
      )
  })

  test('the stored hash of a secret, sent as the secret, gets 401', async () => {
    const { rows } = await platform.db.query(
      'select secret_hash from sign_in_client where app_id = $1',
      [client.id],
    )
    expect(rows[0].secret_hash).toMatch(/^[0-9a-f]{64}$/)
    const headers = basic(client.id, rows[0].secret_hash)
    expect(await redeem({ code: 'x' }, headers)).toMatchObject(unauthenticated)
  })

  test('credentials in both header and body are rejected, and /introspect ignores the body', async () => {
    const form = { code: 'x', client_id: client.id, client_secret: client.secret }
    const response = await redeem(form, { authorization: client.basic })
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const reply = await postForm(platform.url, '/introspect', {
      token: 'x',
      client_id: client.id,
      client_secret: client.secret,
    })
    expect(reply).toMatchObject(unauthenticated)
  })

  test('an app without a secret cannot redeem a code', async () => {
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
      expect(await redeem({ code: 'x' }, basic(id, secret))).toMatchObject(unauthenticated)
    expect(await redeem({ code: 'x', client_id: id })).toMatchObject(unauthenticated)
  })
})

describe('/token and /introspect require a valid form', () => {
  test.each([
    ['application/json', '{}'],
    ['text/plain', 'grant_type=authorization_code'],
    ['', 'grant_type=authorization_code'],
    ['multipart/form-data; boundary=x', '--x--'],
  ])('a body of type %j gets invalid_content_type', async (type, body) => {
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

  test('a form with a charset in its content type is accepted', async () => {
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
      'the grant type client_credentials',
      { grant_type: 'client_credentials' },
      'invalid_grant_type',
      'grant_type',
      'unsupported_grant_type',
    ],
    [
      'the grant type refresh_token',
      { grant_type: 'refresh_token' },
      'invalid_grant_type',
      'grant_type',
      'unsupported_grant_type',
    ],
    ['no code', {}, 'required', 'code', 'invalid_request'],
    ['an unknown code', { code: 'unknown' }, 'invalid_grant', 'code', 'invalid_grant'],
    [
      'a code of fifty kilobytes',
      { code: 'x'.repeat(50_000) },
      'invalid_grant',
      'code',
      'invalid_grant',
    ],
  ])(
    'a form with %s gets 400 and the name of the parameter',
    async (_name, form, code, attribute, error) => {
      const reply = await redeem(Object(form), { authorization: client.basic })
      expect(reply).toMatchObject({ status: 400, body: { code, attribute, error } })
      expect(Object.keys(reply.body).sort()).toEqual(
        ['attribute', 'code', 'detail', 'error', 'error_description'].sort(),
      )
    },
  )

  test('a parameter that is sent twice gets 400, and a body of 100 kB gets 413', async () => {
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

describe('a code can be redeemed once, by its client, in ten minutes', () => {
  test.each([
    ['another redirect URI', { redirect_uri: 'https://rp.example/other' }],
    ['a verifier without a challenge', { code_verifier: 'v'.repeat(43) }],
  ])('a code with %s gets invalid_grant', async (_name, form) => {
    const reply = await redeem({ code: await makeCode(), ...form }, { authorization: client.basic })
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('another client cannot redeem a code, and its owner still can', async () => {
    const code = await makeCode()
    const rejection = await redeem({ code }, { authorization: otherClient.basic })
    expect(rejection).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await redeem({ code }, { authorization: client.basic })).status).toBe(200)
  })

  test.each([
    ['without a verifier', {}],
    ['with a wrong verifier', { code_verifier: 'w'.repeat(43) }],
  ])('a code with a PKCE challenge, sent %s, gets invalid_grant', async (_name, form) => {
    const code = await makeCode({
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })
    const reply = await redeem({ code, ...form }, { authorization: client.basic })
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('a second use of a code is rejected, and revokes the tokens of the first use', async () => {
    const code = await makeCode()
    const first = await redeem({ code }, { authorization: client.basic })
    const token = String(first.body.access_token)
    expect((await userinfo(token)).status).toBe(200)
    const again = await redeem({ code }, { authorization: client.basic })
    expect(again).toMatchObject({ status: 400, body: { code: 'invalid_grant' } })
    expect(await userinfo(token)).toMatchObject({
      status: 401,
      body: { code: 'invalid_token', attribute: 'token' },
    })
    expect(await introspect(token)).toMatchObject({ status: 200, body: { active: false } })
  })

  test('a code that is used twenty times at once is accepted at most once, and its token is revoked', async () => {
    const code = await makeCode()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => redeem({ code }, { authorization: client.basic })),
    )
    const answers = replies.map(({ status, body }) => [status, body.error ?? 'a token'].join(' '))
    const refusals = answers.filter((answer) => answer !== '200 a token')
    expect(refusals.length, answers.join()).toBeGreaterThanOrEqual(19)
    expect(refusals).toEqual(refusals.map(() => '400 invalid_grant'))
    const success = replies.find(({ status }) => status === 200)
    if (success) expect((await userinfo(String(success.body.access_token))).status).toBe(401)
    const { rows } = await platform.db.query(
      `select model from oidc_artifact
       where grant_id = (select grant_id from oidc_artifact where id = sha256(convert_to($1, 'UTF8')))
         and consumed_at is null`,
      [code],
    )
    expect(rows).toEqual([])
  })

  test('a code that is older than ten minutes gets invalid_grant', async () => {
    const code = await makeCode()
    await platform.db.query(
      "update oidc_artifact set expires_at = now() - interval '21 seconds', payload = payload || jsonb_build_object('exp', extract(epoch from now())::int - 21) where model = 'AuthorizationCode'",
    )
    const reply = await redeem({ code }, { authorization: client.basic })
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})

test('the response of /token forbids caching, even to HTTP/1.0 caches (RFC 6749 5.1)', async () => {
  const { headers } = await redeem({ code: await makeCode() }, { authorization: client.basic })
  const values = ['cache-control', 'pragma'].map((name) => headers.get(name))
  expect(values).toEqual(['no-store', 'no-cache'])
})

test('only a request with an Authorization header gets a challenge, because strict clients do not read the body of such a response', async () => {
  const body = await redeem({ code: 'x', client_id: client.id, client_secret: 'sk_wrong' })
  expect([body.status, body.headers.get('www-authenticate')]).toEqual([401, null])
  for (const headers of [
    basic(client.id, 'sk_wrong'),
    basic(client.id, ''),
    { authorization: 'Basic ???' },
    { authorization: `Bearer ${client.secret}` },
  ])
    for (const path of ['/token', '/introspect']) {
      const form = { grant_type: 'authorization_code', code: 'x', token: 'x' }
      const { status, headers: responseHeaders } = await postForm(platform.url, path, form, headers)
      expect([status, responseHeaders.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/^Basic realm="/),
      ])
    }
})
