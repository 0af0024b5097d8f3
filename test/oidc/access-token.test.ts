import { createPublicKey, randomBytes } from 'node:crypto'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect } from 'vitest'
import { registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { createTokenCalls } from '../support/oidc/token-calls.ts'
import { fetchVia } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient
let otherClient: TestClient

test.beforeAll(async ({ signIn: shared }) => {
  platform = shared
  client = await registerClient(platform.url)
  otherClient = await registerClient(platform.url)
})

const { makeCode, redeem, makeTokens, introspect, userinfo } = createTokenCalls(() => ({
  url: platform.url,
  client,
}))

describe('/userinfo and /introspect accept only access tokens of this server', () => {
  test.each([
    ['a text', async () => 'hello'],
    ['an id_token', async () => (await makeTokens()).idToken],
    ['a code', () => makeCode()],
    [
      'the handle of an access token',
      async () => String(decodeJwt((await makeTokens()).accessToken).jti),
    ],
    [
      'an access token without its signature',
      async () => (await makeTokens()).accessToken.replace(/[^.]+$/, ''),
    ],
    [
      'an access token with another signature',
      async () => (await makeTokens()).accessToken.replace(/.{8}$/, 'AAAAAAAA'),
    ],
    [
      'an access token with other claims',
      async () => alter((await makeTokens()).accessToken, 1, { sub: '0x0' }),
    ],
    [
      'an access token with the algorithm none',
      async () => alter((await makeTokens()).accessToken, 0, { alg: 'none' }).replace(/[^.]+$/, ''),
    ],
    ['a token signed by HS256 with our public key', signedWithPublicKey],
    ['a token that contains its own key', signedWithOwnKey],
    ['a token of ten kilobytes', async () => `${'a'.repeat(10_000)}.b.c`],
  ])('%s is rejected by /userinfo and inactive at /introspect', async (_name, make) => {
    const token = await make()
    expect(await userinfo(token)).toMatchObject({
      status: 401,
      body: { code: 'invalid_token', error: 'invalid_token', attribute: 'token' },
    })
    expect(await introspect(token)).toMatchObject({
      status: 200,
      body: { active: false, code: 'invalid_token' },
    })
  })
})

describe('/userinfo accepts an access token only in the header', () => {
  test('/userinfo rejects a request without a token, with Basic, or with the token in the URL or body', async () => {
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
      expect({ status: response.status, body: await response.json() }).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated', error: 'invalid_token' },
      })
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /)
    }
  })

  test.each([
    ['GET', {}],
    ['POST', { method: 'POST' }],
    [
      'POST with the type JSON and no body',
      { method: 'POST', headers: { 'content-type': 'application/json' } },
    ],
    [
      'POST with an empty object',
      { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
    ],
  ])('/userinfo answers %s', async (_name, init) => {
    const { accessToken } = await makeTokens()
    expect((await userinfo(accessToken, init)).status).toBe(200)
  })

  test('/userinfo and the id_token contain only the claims of the requested scope', async () => {
    const code = await makeCode({ scope: 'openid' })
    const { body } = await redeem({ code }, { authorization: client.basic })
    const info = await userinfo(String(body.access_token))
    expect(Object.keys(info.body).sort()).toEqual([`${ISSUER}/beta`, 'sub'].sort())
    expect(decodeJwt(String(body.id_token))).not.toHaveProperty('email')
  })
})

test('a client gets active: false for a token of another client', async () => {
  const { accessToken } = await makeTokens()
  expect(await introspect(accessToken, otherClient)).toMatchObject({
    status: 200,
    body: { active: false },
  })
  expect(await introspect(accessToken)).toMatchObject({ status: 200, body: { active: true } })
})

test('an access token contains its issuer, audience and client, and expires after an hour', async () => {
  const payload = decodeJwt((await makeTokens()).accessToken)
  expect(payload).toMatchObject({ iss: ISSUER, aud: `${ISSUER}/userinfo`, client_id: client.id })
  expect(Number(payload.exp) - Number(payload.iat)).toBe(3_600)
})

test('/jwks contains no private keys, and the tables contain no token, code, handle or client secret in plain text', async () => {
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
