import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LOGIN_TOKEN_SECRET } from '../../support/webhooks/platform-environment.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let ada: { id: string; token: string }
let bob: typeof ada

beforeAll(async () => {
  platform = await startTestPlatform()
  ada = await signup('ada@example.com')
  bob = await signup('bob@example.com')
})
afterAll(() => platform.stop())

const SELF = '{ user { id email name email_verified_at created_at } }'

test('a user reads only their own row, before and after verifying the address', async () => {
  const row = {
    id: ada.id,
    email: 'ada@example.com',
    name: 'Person',
    email_verified_at: null,
    created_at: expect.any(String),
  }
  expect(await graphql(SELF, ada.token)).toEqual({ data: { user: [row] } })
  await platform.db.query('update "user" set email_verified_at = now() where id = $1', [ada.id])
  expect(await graphql(SELF, ada.token)).toEqual({
    data: { user: [{ ...row, email_verified_at: expect.any(String) }] },
  })
})

test('a token has the role unverified_user before the address is verified, and the role user after', async () => {
  expect(await session(`Bearer ${bob.token}`)).toEqual({
    status: 200,
    body: {
      'x-hasura-role': 'unverified_user',
      'x-hasura-user-id': bob.id,
      'x-hasura-login-id': loginOf(bob),
    },
  })
  await platform.db.query('update "user" set email_verified_at = now() where id = $1', [bob.id])
  expect(await session(`Bearer ${bob.token}`)).toEqual({
    status: 200,
    body: {
      'x-hasura-role': 'user',
      'x-hasura-user-id': bob.id,
      'x-hasura-login-id': loginOf(bob),
    },
  })
})

test.each([
  ['the password hash', '{ user { password_hash } }'],
  ['the outbox', '{ mail { id } }'],
  [
    'the signup function',
    'mutation { signup(args: {email: "a", password_hash: "b", name: "c", team_name: "d"}) { id } }',
  ],
])('%s is not in the schema of an unverified user', async (_name, query) => {
  const { errors } = Object(await graphql(query, ada.token))
  expect(errors[0].extensions.code).toBe('validation-failed')
})

describe('an invalid login token gets 401', () => {
  const key = new TextEncoder().encode(LOGIN_TOKEN_SECRET)
  const inAnHour = Math.floor(Date.now() / 1_000) + 3_600

  test.each([
    ['is signed with another secret', () => sign({ by: key.map((byte) => byte ^ 1) })],
    ['is signed with another algorithm', () => sign({ alg: 'HS256' })],
    ['is not signed', () => new UnsecuredJWT(claims()).encode()],
    ['names another issuer', () => sign({ iss: 'https://elsewhere.example' })],
    ['has no issuer', () => sign({ iss: undefined })],
    ['has expired', () => sign({ exp: inAnHour - 3_601 })],
    ['has no expiry', () => sign({ exp: undefined })],
    ['names no user', () => sign({ sub: undefined })],
    ['names no login', () => sign({ jti: undefined })],
    ["names another person's login", () => sign({ jti: loginOf(bob) })],
    ['names an unknown user', () => sign({ sub: `usr_${'0'.repeat(32)}` })],
    ['has altered claims', () => alter(ada.token)],
    ['has lost its signature', () => ada.token.replace(/[^.]+$/, '')],
  ])('a login token that %s gets 401', async (_name, make) => {
    expect(await session(`Bearer ${await make()}`)).toMatchObject({
      status: 401,
      body: { code: 'unauthenticated' },
    })
  })

  test('a login token gets 401 after a day', async () => {
    platform.clock.aheadMs = 23 * 3_600_000
    expect((await session(`Bearer ${bob.token}`)).status).toBe(200)
    platform.clock.aheadMs += 3_601_000
    expect((await session(`Bearer ${bob.token}`)).status).toBe(401)
    platform.clock.aheadMs = 0
  })

  test('a login token of a deleted account gets 401', async () => {
    const eve = await signup('eve@example.com')
    await platform.db.query('select from delete_account($1)', [eve.id])
    expect((await session(`Bearer ${eve.token}`)).status).toBe(401)
  })

  test('a login token sent with another scheme gets 401', async () => {
    expect((await session(`Token ${ada.token}`)).status).toBe(401)
  })

  function claims() {
    return { sub: ada.id, jti: loginOf(ada), iss: platform.baseUrl, exp: inAnHour }
  }

  function sign({ alg = 'HS512', by = key, ...changedClaims }: Forgery) {
    const all = Object.entries({ ...claims(), ...changedClaims })
    const definedClaims = Object.fromEntries(all.filter(([, value]) => value !== undefined))
    return new SignJWT(definedClaims).setProtectedHeader({ alg }).sign(by)
  }

  type Forgery = {
    alg?: string
    by?: Uint8Array
    iss?: unknown
    exp?: unknown
    sub?: unknown
    jti?: unknown
  }
})

function alter(token: string): string {
  const [header, payload = '', signature] = token.split('.')
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: bob.id }
  const payloadText = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return [header, payloadText, signature].join('.')
}

async function signup(email: string) {
  const body = { email, password: 'difference', name: 'Person', team_name: 'Team' }
  const reply = await platform.post('/api/v1/signup', body)
  const { rows } = await platform.db.query('select id from "user" where email = $1', [email])
  return { id: String(rows[0].id), token: String(Object(reply.body).token) }
}

function loginOf({ token }: typeof ada): string {
  return String(decodeJwt(token).jti)
}

async function session(authorization: string) {
  const { status, body } = await platform.post('/hasura/auth', { headers: { authorization } })
  const { 'Cache-Control': lifetime, ...claims } = Object(body)
  if (status === 200) expect(lifetime).toBe('max-age=60')
  return { status, body: claims }
}

async function graphql(query: string, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  return (await platform.post('/v1/graphql', { query }, headers)).body
}
