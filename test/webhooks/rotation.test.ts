import { decodeProtectedHeader } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { serveEngineHere } from '../../packages/engine/test/support/serve-here.ts'
import { forgeRequest } from '../support/webhooks/forge-request.ts'
import {
  ADMIN_SECRET,
  engineEnvironment,
  INTERNAL_SECRET,
  LOGIN_TOKEN_SECRET,
  PEPPER,
  SIGNING_KEY_SECRET,
} from '../support/webhooks/platform-environment.ts'
import { post, startTestPlatform, type TestPlatform } from '../support/webhooks/start-platform.ts'

const NEW = 'the-secret-that-replaces-it-from-now-on'.repeat(2)

const ROOT = 4711n

let platform: TestPlatform
let appId: string
let action: string
let people = 0n

beforeAll(async () => {
  platform = await startTestPlatform()
  const app = await platform.app({ team: await platform.team() })
  action = await platform.action(app, { action: 'hosted', return_url: 'https://example.com/' })
  appId = app
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: ROOT })
})
afterEach(async () => {
  for (const instance of instances.splice(0)) await instance.stop()
})
afterAll(() => platform.stop())

const instances: { stop(): Promise<void> }[] = []

/**
 * Starts an instance for each of the three steps of docs/operations/secrets.md: `accepted` also accepts the new secret,
 * `used` uses the new secret, and `after` no longer accepts the old secret.
 */
async function startRotation(variable: string, oldSecret: string) {
  const start = async (value: string) => {
    const instance = await platform.anotherInstance({ [variable]: value })
    instances.push(instance)
    return instance.baseUrl
  }
  return {
    before: platform.baseUrl,
    accepted: await start(`${oldSecret},${NEW}`),
    used: await start(`${NEW},${oldSecret}`),
    after: await start(NEW),
  }
}

describe('a secret is rotated while instances with the old and the new value run side by side', () => {
  test('the instances in the middle of a rotation of INTERNAL_SECRET accept both secrets', async () => {
    const { before, accepted, used, after } = await startRotation(
      'INTERNAL_SECRET',
      INTERNAL_SECRET,
    )
    const call = async (url: string, secret: string) =>
      (await post(`${url}/api/_expire`, {}, { authorization: `Bearer ${secret}` })).status
    expect([await call(before, INTERNAL_SECRET), await call(before, NEW)]).toEqual([200, 403])
    for (const url of [accepted, used])
      expect([await call(url, INTERNAL_SECRET), await call(url, NEW)]).toEqual([200, 200])
    expect([await call(after, INTERNAL_SECRET), await call(after, NEW)]).toEqual([403, 200])
  })

  test('LOGIN_TOKEN_SECRET is rotated while logins stay valid', async () => {
    const { before, accepted, used, after } = await startRotation(
      'LOGIN_TOKEN_SECRET',
      LOGIN_TOKEN_SECRET,
    )
    const account = {
      email: 'ada@example.com',
      password: 'difference',
      name: 'Ada',
      team_name: 'A',
    }
    await post(`${before}/api/v1/signup`, account)
    const login = async (url: string) =>
      String(Object((await post(`${url}/api/v1/login`, account)).body).token)
    const statusFor = async (url: string, token: string) =>
      (await post(`${url}/hasura/auth`, { headers: { Authorization: `Bearer ${token}` } })).status
    const oldLogin = await login(accepted)
    const newLogin = await login(used)
    for (const url of [before, accepted, used]) expect(await statusFor(url, oldLogin)).toBe(200)
    for (const url of [accepted, used, after]) expect(await statusFor(url, newLogin)).toBe(200)
    expect([await statusFor(before, newLogin), await statusFor(after, oldLogin)]).toEqual([
      401, 401,
    ])
  })

  test('an API key with the old API_KEY_PEPPER is valid until the last step of a rotation', async () => {
    const { accepted, used, after } = await startRotation('API_KEY_PEPPER', PEPPER)
    const { apiKey } = await platform.team()
    const statusFor = async (url: string) =>
      (await post(`${url}/hasura/auth`, { headers: { Authorization: `Bearer ${apiKey}` } })).status
    expect([await statusFor(accepted), await statusFor(used), await statusFor(after)]).toEqual([
      200, 200, 401,
    ])
  })

  test('SIGNING_KEY_SECRET is rotated while hosted pages keep signing', async () => {
    const { accepted, used, after } = await startRotation('SIGNING_KEY_SECRET', SIGNING_KEY_SECRET)
    const signedBy = async (url: string) => {
      const { status, body } = await verifyV1(url)
      const token = new URL(String(Object(body).return_url)).searchParams.get('verification_jwt')
      return { status, kid: token && decodeProtectedHeader(token).kid }
    }
    const oldKey = await makeKey(accepted)
    expect(await signedBy(used)).toEqual({ status: 200, kid: oldKey })
    const newKey = await makeKey(used)
    for (const url of [accepted, used, after])
      expect(await signedBy(url)).toEqual({ status: 200, kid: newKey })
  })

  test('HASURA_GRAPHQL_ADMIN_SECRET is rotated while requests reach Hasura', async () => {
    const { before, accepted, used, after } = await startRotation(
      'HASURA_GRAPHQL_ADMIN_SECRET',
      ADMIN_SECRET,
    )
    // Hasura answers each of these requests: 404 shows that it was reached.
    const status = async (url: string) => (await fetch(`${url}/api/v1/precheck/app_none`)).status
    for (const url of [before, accepted, used]) expect(await status(url)).toBe(404)
    expect(await status(after)).toBeGreaterThanOrEqual(500)
    const port = new URL(platform.engine.url).port
    await platform.engine.stop()
    platform.engine = await serveEngineHere(platform.db.as('hasura'), {
      ...engineEnvironment(platform.baseUrl),
      HASURA_GRAPHQL_SERVER_PORT: port,
      HASURA_GRAPHQL_ADMIN_SECRET: NEW,
    })
    for (const url of [accepted, used, after]) expect(await status(url)).toBe(404)
    expect(await status(before)).toBeGreaterThanOrEqual(500)
  })
})

async function verifyV1(url: string) {
  people += 1n
  const request = { app: appId, action: 'hosted', root: ROOT, nullifier: people, signal: '' }
  const { merkle_root, nullifier_hash, proof } = await forgeRequest(request)
  const body = { action_id: action, signal: '', merkle_root, nullifier_hash, proof }
  return post(`${url}/api/v1/verify`, body)
}

async function makeKey(url: string): Promise<string> {
  const reply = await post(
    `${url}/api/_jwk-gen`,
    {},
    { authorization: `Bearer ${INTERNAL_SECRET}` },
  )
  return String(Object(Object(reply.body).jwk).id)
}
