import { createRemoteJWKSet, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { formatField } from '../../../lib/proof/encoding.ts'
import { makeSigningKey } from '../../../lib/runtime/secrets/key-pair.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { forgeRequest } from '../../support/webhooks/forge-request.ts'
import { SIGNING_KEY_SECRET } from '../../support/webhooks/platform-environment.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

const ROOT = 4711n
const HOUR = 3_600_000
const RETURN_URL = 'https://example.com/done?from=us#top'

let platform: TestPlatform
let app: string
let hostedAction: string
let people = 0n
let elapsedMs = 0

beforeAll(async () => {
  platform = await startTestPlatform()
  app = await platform.app({ team: await platform.team() })
  hostedAction = await platform.action(app, { action: 'hosted', return_url: RETURN_URL })
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: ROOT })
})
afterAll(() => platform.stop())
beforeEach(async () => {
  await platform.db.query('delete from jwks')
  // Moves the clock, so that the keys that the previous test has cached expire.
  elapsedMs += 10_000
  Object.assign(platform.clock, { aheadMs: elapsedMs, stoppedAt: null })
})

describe('the keys of verification tokens are published', () => {
  test.each(['GET', 'POST'])(
    'the published keys have exactly e, n, kty and kid, by %s',
    async (method) => {
      const id = await addKey(HOUR)
      const response = await fetch(`${platform.baseUrl}/api/v1/jwks`, { method })
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({
        keys: [{ e: 'AQAB', n: expect.stringMatching(/^[\w-]{342}$/), kty: 'RSA', kid: id }],
      })
      expect(response.headers.get('cache-control')).toBe('public, max-age=300')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    },
  )

  test('the published set is empty at first', async () => {
    expect(await publishedIds()).toEqual([])
  })

  test('the published keys are not expired and not used for sign-in', async () => {
    const lasting = await addKey(2 * HOUR)
    const ending = await addKey(HOUR)
    const signIn = await addKey(HOUR)
    await platform.db.query("update jwks set use = 'sign-in' where id = $1", [signIn])
    expect(await publishedIds()).toEqual([ending, lasting])
    platform.clock.aheadMs += HOUR + 1_000
    expect(await publishedIds()).toEqual([lasting])
  })
})

test('the set of keys is cached for a second, and not longer than its keys are valid', async () => {
  await addKey(HOUR)
  const other = await addKey(HOUR)
  const now = Date.now()
  platform.clock.stoppedAt = now
  const endsIn = (ms: number) =>
    platform.db.query('update jwks set expires_at = $2 where id = $1', [
      other,
      new Date(now + platform.clock.aheadMs + ms),
    ])
  const count = async () =>
    Object(await (await fetch(`${platform.baseUrl}/api/v1/jwks`)).json()).keys.length
  expect(await count()).toBe(2)
  await endsIn(-1)
  expect(await count()).toBe(2)
  platform.clock.aheadMs += 1_000
  expect(await count()).toBe(1)
  await endsIn(1_800)
  platform.clock.aheadMs += 1_000
  expect(await count()).toBe(2)
  platform.clock.aheadMs += 800
  expect(await count()).toBe(1)
})

describe('a verified person returns to the website with a token', () => {
  test('a verification token verifies with jose and the published keys', async () => {
    const kid = await addKey(2 * HOUR)
    const { url, token, nullifier } = await verify('transfer 10 to alice')
    expect(url.href.startsWith('https://example.com/done?from=us&verification_jwt=')).toBe(true)
    expect(url.hash).toBe('#top')
    expect(url.searchParams.get('success')).toBe('true')
    const keys = publishedKeys()
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms: ['PS256'],
      issuer: platform.baseUrl,
    })
    expect(protectedHeader).toEqual({ alg: 'PS256', typ: 'JWT', kid })
    expect(payload).toEqual({
      action_id: hostedAction,
      nullifier_hash: nullifier,
      signal: 'transfer 10 to alice',
      verified: true,
      iss: platform.baseUrl,
      jti: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      iat: expect.any(Number),
      exp: Number(payload.iat) + 3_600,
    })
  })

  test('a verification token expires after an hour', async () => {
    await addKey(2 * HOUR)
    const { token } = await verify()
    const keys = publishedKeys()
    const afterExpiry = {
      currentDate: new Date(Date.now() + platform.clock.aheadMs + HOUR + 1_000),
    }
    await expect(jwtVerify(token, keys, afterExpiry)).rejects.toThrow(errors.JWTExpired)
  })

  test.each([
    ['altered', (token: string) => token.replace(/\.(.)/, (_, c) => (c === 'e' ? '.f' : '.e'))],
    ['signed by another key', async () => (await otherPlatformsToken()).token],
    ['unsigned', (token: string) => unsigned(token)],
  ])('a verification token that is %s is rejected', async (_name, forge) => {
    await addKey(2 * HOUR)
    const { token } = await verify()
    const keys = publishedKeys()
    await jwtVerify(token, keys)
    await expect(jwtVerify(await forge(token), keys)).rejects.toThrow(errors.JOSEError)
  })

  test('a verification token is signed with the newest key that outlives it', async () => {
    const old = await addKey(10 * HOUR)
    const newest = await addKey(2 * HOUR)
    expect(await signer()).toBe(newest)
    platform.clock.aheadMs += HOUR + 1_000
    expect(await signer()).toBe(old)
  })

  test('a new key signs verification tokens only once every cache has it', async () => {
    platform.clock.aheadMs = 0
    const old = await addKey(2 * HOUR)
    const ageKey = "update jwks set created_at = now() - interval '1 day' where id = $1"
    await platform.db.query(ageKey, [old])
    const newest = await addKey(2 * HOUR)
    const { headers } = await fetch(`${platform.baseUrl}/api/v1/jwks`)
    const [, maxAge] = /max-age=(\d+)/.exec(headers.get('cache-control') ?? '') ?? []
    platform.clock.aheadMs = Number(maxAge) * 1_000
    expect(await signer()).toBe(old)
    platform.clock.aheadMs += 70_000
    expect(await signer()).toBe(newest)
  })

  test('a person gets 500 instead of a token if the private key was copied from another row', async () => {
    const [one, other] = [await addKey(2 * HOUR), await addKey(2 * HOUR)]
    await platform.db.query(
      `update jwks set private_jwk_encrypted = (select private_jwk_encrypted from jwks where id = $1)
      where id = $2`,
      [one, other],
    )
    expect(await send()).toMatchObject({ status: 500, body: { code: 'internal_error' } })
  })
})

test('a person is not counted without a signing key, and can try again', async () => {
  await addKey(HOUR / 2)
  const body = await request()
  expect(await post(body)).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  await addKey(2 * HOUR)
  expect(await post(body)).toMatchObject({ status: 200 })
})

test('the database does not contain the private key in plain text', async () => {
  await addKey(HOUR)
  const { rows } = await platform.db.query('select jwks::text as text from jwks')
  expect(rows[0].text).not.toMatch(/"[dpq]"/)
})

async function addKey(lifetimeMs: number): Promise<string> {
  const key = await makeSigningKey('PS256', [SIGNING_KEY_SECRET])
  await platform.db.query(
    'insert into jwks (id, public_jwk, private_jwk_encrypted, expires_at) values ($1, $2, $3, $4)',
    [key.id, key.public_jwk, key.private_jwk_encrypted, new Date(Date.now() + lifetimeMs)],
  )
  return key.id
}

/** Returns the keys as a client uses them: fetched when first needed, then cached. */
function publishedKeys() {
  platform.clock.aheadMs += 1_000
  return createRemoteJWKSet(new URL(`${platform.baseUrl}/api/v1/jwks`))
}

/** Reads the published keys a second later, because changes may take that long to appear. */
async function publishedIds(): Promise<string[]> {
  platform.clock.aheadMs += 1_000
  const keySet = await (await fetch(`${platform.baseUrl}/api/v1/jwks`)).json()
  return Object(keySet).keys.map(({ kid }: { kid: string }) => kid)
}

async function request(signal = '') {
  people += 1n
  const fields = { app, action: 'hosted', root: ROOT, nullifier: people, signal }
  return { ...(await forgeRequest(fields)), action_id: hostedAction, signal }
}

function post(body: object) {
  return platform.post('/api/v1/verify', body)
}

async function send() {
  return post(await request())
}

async function verify(signal = '') {
  const { status, body } = await post(await request(signal))
  expect(status).toBe(200)
  const url = new URL(Object(body).return_url)
  const token = url.searchParams.get('verification_jwt') ?? ''
  return { url, token, nullifier: formatField(people) }
}

async function signer() {
  return decodeProtectedHeader((await verify()).token).kid
}

/** Returns a token that a new key has signed, as on another platform. */
async function otherPlatformsToken() {
  await platform.db.query('delete from jwks')
  await addKey(2 * HOUR)
  return verify()
}

function unsigned(token: string): string {
  const [, payload] = token.split('.')
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
}
