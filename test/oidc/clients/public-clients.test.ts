import * as oauth from 'oauth4webapi'
import { describe, expect } from 'vitest'
import { authorizeUrl, CALLBACK, postForm } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../../support/oidc/visitor.ts'

// Clients that cannot keep a secret: single-page and mobile apps (RFC 6749 2.1, RFC 7636, RFC 9700 2.1.1).

const VERIFIER = 'a-verifier-of-at-least-forty-three-characters'

let platform: TestSignIn
let registration: Record<string, unknown>
let client: { id: string; secret: string; basic: string }
let challenge: string

test.beforeAll(async ({ signIn: shared }) => {
  platform = shared
  registration = await register({ token_endpoint_auth_method: 'none' })
  client = { id: String(registration.client_id), secret: '', basic: '' }
  challenge = await oauth.calculatePKCECodeChallenge(VERIFIER)
})

async function register(fields: object) {
  const response = await fetchVia(platform.url)(`${ISSUER}/register`, {
    method: 'POST',
    body: JSON.stringify({
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code'],
      ...fields,
    }),
  })
  return Object(await response.json())
}

async function makeCode(owner = client) {
  const parameters = { code_challenge: challenge, code_challenge_method: 'S256' }
  const back = await new Visitor(platform.url).signIn(authorizeUrl(owner, parameters))
  return new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

const redeem = (form: Record<string, string>, headers = {}) =>
  postForm(platform.url, '/token', { grant_type: 'authorization_code', ...form }, headers)

const unauthenticated = { status: 401, body: { code: 'unauthenticated', error: 'invalid_client' } }

test('a public client is registered without a secret', () => {
  expect(registration).toMatchObject({
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
  })
  expect(Object.keys(registration).filter((name) => name.startsWith('client_secret'))).toEqual([])
})

test('a public client exchanges a code with its verifier, and reads the claims', async () => {
  const code = await makeCode()
  const { status, body } = await redeem({ client_id: client.id, code, code_verifier: VERIFIER })
  expect(status).toBe(200)
  const claims = await fetchVia(platform.url)(`${ISSUER}/userinfo`, {
    headers: { authorization: `Bearer ${body.access_token}` },
  })
  expect(await claims.json()).toMatchObject({ sub: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
})

test('oauth4webapi, a strict client library, registers and signs in as a public client', async () => {
  const options = { [oauth.customFetch]: fetchVia(platform.url) }
  const issuer = new URL(ISSUER)
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, options),
  )
  expect(server.token_endpoint_auth_methods_supported).toContain('none')
  const metadata = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }
  const response = await oauth.dynamicClientRegistrationRequest(server, metadata, options)
  const rp = await oauth.processDynamicClientRegistrationResponse(response)
  const newClient = { id: rp.client_id, secret: '', basic: '' }
  const parameters = { code_challenge: challenge, code_challenge_method: 'S256' }
  const back = await new Visitor(platform.url).signIn(authorizeUrl(newClient, parameters))
  const location = new URL(back.headers.get('location') ?? '')
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    rp,
    await oauth.authorizationCodeGrantRequest(
      server,
      rp,
      oauth.None(),
      oauth.validateAuthResponse(server, rp, location, 'some-state'),
      CALLBACK,
      VERIFIER,
      options,
    ),
    { expectedNonce: 'some-nonce', requireIdToken: true },
  )
  expect(oauth.getValidatedIdTokenClaims(tokens)?.aud).toBe(rp.client_id)
})

describe('the server rejects wrong requests of a public client', () => {
  test('a sign-in without PKCE gets invalid_request', async () => {
    const response = await fetchVia(platform.url)(authorizeUrl(client))
    const location = new URL(response.headers.get('location') ?? '')
    expect(location.href.startsWith(CALLBACK)).toBe(true)
    expect(location.searchParams.get('error')).toBe('invalid_request')
  })

  test.each([
    ['another verifier', { code_verifier: VERIFIER.replace('a-', 'b-') }],
    ['no verifier', {}],
  ])('a code with %s gets invalid_grant', async (_name, fields) => {
    const reply = await redeem({ client_id: client.id, code: await makeCode(), ...fields })
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_grant' } })
  })

  test('a public client that sends a secret gets unauthenticated', async () => {
    const fields = { code: await makeCode(), code_verifier: VERIFIER }
    for (const client_secret of ['guess', 'null', 'none'])
      expect(await redeem({ client_id: client.id, client_secret, ...fields })).toMatchObject(
        unauthenticated,
      )
  })

  test('a public client gets unauthenticated at /introspect', async () => {
    const code = await makeCode()
    const { body } = await redeem({ client_id: client.id, code, code_verifier: VERIFIER })
    const form = { token: String(body.access_token), client_id: client.id }
    expect(await postForm(platform.url, '/introspect', form)).toMatchObject(unauthenticated)
    const guess = { authorization: `Basic ${Buffer.from(`${client.id}:none`).toString('base64')}` }
    expect(await postForm(platform.url, '/introspect', form, guess)).toMatchObject(unauthenticated)
  })
})

test('a client with a secret must send it even with PKCE', async () => {
  const confidential = { id: (await register({})).client_id, secret: '', basic: '' }
  const form = { client_id: confidential.id, code_verifier: VERIFIER }
  expect(await redeem({ ...form, code: await makeCode(confidential) })).toMatchObject(
    unauthenticated,
  )
  for (const client_id of ['app_nobody', '\0', 'ü'])
    expect(await redeem({ ...form, client_id, code: 'x' })).toMatchObject(unauthenticated)
})

describe('a caller with the registration access token can read the registration', () => {
  const readRegistration = (url: unknown, token?: unknown) =>
    fetchVia(platform.url)(String(url), {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })

  test('a caller with the registration access token gets the registration without the secret', async () => {
    const answer = await register({ redirect_uris: ['https://b.example/', 'https://a.example/'] })
    const response = await readRegistration(
      answer.registration_client_uri,
      answer.registration_access_token,
    )
    expect(response.status).toBe(200)
    const { client_secret: _secret, client_secret_expires_at: _until, ...registration } = answer
    const redirect_uris = ['https://a.example/', 'https://b.example/']
    expect(await response.json()).toEqual({ ...registration, redirect_uris })
  })

  test('a caller with another token or without a token gets 401', async () => {
    const answer = await register({})
    const uri = answer.registration_client_uri
    expect((await readRegistration(uri)).status).toBe(401)
    for (const [target, token] of [
      [uri, registration.registration_access_token],
      [uri, answer.client_secret],
      [`${ISSUER}/register/%00`, answer.registration_access_token],
      [registration.registration_client_uri, answer.registration_access_token],
    ]) {
      const response = await readRegistration(target, token)
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ code: 'invalid_token' })
    }
  })
})
