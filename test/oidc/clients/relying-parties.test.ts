import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { describe, expect } from 'vitest'
import { CALLBACK, registerClient, type TestClient } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient
let send: ReturnType<typeof fetchVia>

test.beforeAll(async ({ signIn: shared }) => {
  platform = shared
  client = await registerClient(platform.url)
  send = fetchVia(platform.url)
})

const SUBJECT = `0x${42n.toString(16).padStart(64, '0')}`

describe('openid-client 6 signs people in', () => {
  const discover = (auth?: openid.ClientAuth) =>
    openid.discovery(new URL(ISSUER), client.id, client.secret, auth, {
      [openid.customFetch]: send,
    })

  test.each([
    ['its default authentication in the body', () => undefined],
    ['Basic', () => openid.ClientSecretBasic(client.secret)],
  ])(
    'openid-client completes the code flow with PKCE, state and nonce, with %s',
    async (_name, authentication) => {
      const config = await discover(authentication())
      const verifier = openid.randomPKCECodeVerifier()
      const checks = { expectedState: openid.randomState(), expectedNonce: openid.randomNonce() }
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope: 'openid email',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: checks.expectedState,
        nonce: checks.expectedNonce,
      })
      const back = await new Visitor(platform.url).signIn(url)
      const tokens = await openid.authorizationCodeGrant(config, locationOf(back), {
        pkceCodeVerifier: verifier,
        ...checks,
      })
      expect(tokens.claims()).toMatchObject({ sub: SUBJECT, aud: client.id })
      const info = await openid.fetchUserInfo(config, tokens.access_token, SUBJECT)
      // Without 0x, because a local part has at most 64 characters (RFC 5321 4.5.3.1.1).
      expect(info).toMatchObject({ email: `${SUBJECT.slice(2)}@id.example.test` })
      expect(info).not.toHaveProperty('name')
      const introspected = await openid.tokenIntrospection(
        await discover(openid.ClientSecretBasic(client.secret)),
        tokens.access_token,
      )
      expect(introspected).toMatchObject({ active: true, client_id: client.id, sub: SUBJECT })
    },
  )

  test('openid-client completes the implicit flow', async () => {
    const config = await discover()
    openid.useIdTokenResponseType(config)
    const nonce = openid.randomNonce()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid',
      nonce,
    })
    const back = await new Visitor(platform.url).signIn(url)
    const claims = await openid.implicitAuthentication(config, locationOf(back), nonce)
    expect(claims).toMatchObject({ sub: SUBJECT })
  })

  test.each(['fragment', 'form_post'])(
    'openid-client completes the hybrid flow with response_mode=%s',
    async (response_mode) => {
      const config = await discover()
      openid.useCodeIdTokenResponseType(config)
      const nonce = openid.randomNonce()
      const state = openid.randomState()
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope: 'openid profile',
        nonce,
        state,
        response_mode,
      })
      const back = await new Visitor(platform.url).signIn(url)
      const answer = response_mode === 'fragment' ? locationOf(back) : await postedBy(back)
      const tokens = await openid.authorizationCodeGrant(config, answer, {
        expectedNonce: nonce,
        expectedState: state,
      })
      expect(tokens.claims()).toMatchObject({ sub: SUBJECT, name: 'World ID User' })
    },
  )

  test.each([
    ['only redirect URIs', {}],
    ['the types of RFC 7591', { grant_types: ['authorization_code'], response_types: ['code'] }],
    ['the types of docs/specification.md', { grant_types: 'authorization_code' }],
  ])('openid-client registers a client with %s, and signs in with it', async (_name, fields) => {
    const config = await openid.dynamicClientRegistration(
      new URL(ISSUER),
      { redirect_uris: [CALLBACK], ...Object(fields) },
      undefined,
      { [openid.customFetch]: send },
    )
    const url = openid.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'openid' })
    const back = await new Visitor(platform.url).signIn(url)
    const tokens = await openid.authorizationCodeGrant(config, locationOf(back))
    expect(tokens.claims()).toMatchObject({ sub: SUBJECT })
  })

  test('openid-client gets access_denied when the person cancels', async () => {
    const config = await discover()
    const url = openid.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'openid' })
    const back = await new Visitor(platform.url).cancel(url)
    await expect(openid.authorizationCodeGrant(config, locationOf(back))).rejects.toMatchObject({
      error: 'access_denied',
    })
  })
})

describe('oauth4webapi signs people in', () => {
  const options = () => ({ [oauth.customFetch]: send })

  const discover = async () => {
    const issuer = new URL(ISSUER)
    const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...options() })
    return oauth.processDiscoveryResponse(issuer, answer)
  }

  test('oauth4webapi completes the code flow, and reads /userinfo and /introspect', async () => {
    const server = await discover()
    const rp = { client_id: client.id }
    const auth = oauth.ClientSecretBasic(client.secret)
    const verifier = oauth.generateRandomCodeVerifier()
    const url = new URL(server.authorization_endpoint ?? '')
    url.search = String(
      new URLSearchParams({
        client_id: client.id,
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: 'openid',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        nonce: 'n',
        state: 's',
      }),
    )
    const back = await new Visitor(platform.url).signIn(url)
    const parameters = oauth.validateAuthResponse(server, rp, locationOf(back), 's')
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      rp,
      auth,
      parameters,
      CALLBACK,
      verifier,
      options(),
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, rp, response, {
      expectedNonce: 'n',
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, response, options())
    const info = await oauth.userInfoRequest(server, rp, tokens.access_token, options())
    expect(await oauth.processUserInfoResponse(server, rp, SUBJECT, info)).toMatchObject({
      sub: SUBJECT,
    })
    const introspection = await oauth.introspectionRequest(
      server,
      rp,
      auth,
      tokens.access_token,
      options(),
    )
    expect(await oauth.processIntrospectionResponse(server, rp, introspection)).toMatchObject({
      active: true,
    })
  })

  test('oauth4webapi verifies both hashes in the id_token of the flow code id_token token', async () => {
    const server = await discover()
    const rp = { client_id: client.id }
    const url = new URL(server.authorization_endpoint ?? '')
    url.search = String(
      new URLSearchParams({
        client_id: client.id,
        redirect_uri: CALLBACK,
        response_type: 'code id_token token',
        scope: 'openid',
        nonce: 'n',
      }),
    )
    const back = await new Visitor(platform.url).signIn(url)
    const parameters = new URLSearchParams(locationOf(back).hash.slice(1))
    await expect(
      oauth.validateCodeIdTokenResponse(
        server,
        rp,
        new URL(locationOf(back)),
        'n',
        oauth.expectNoState,
        undefined,
        options(),
      ),
    ).resolves.toBeInstanceOf(URLSearchParams)
    const info = await oauth.userInfoRequest(
      server,
      rp,
      parameters.get('access_token') ?? '',
      options(),
    )
    expect(info.status).toBe(200)
  })

  test('oauth4webapi reads the error invalid_grant of /token', async () => {
    const server = await discover()
    const response = await send(server.token_endpoint ?? '', {
      method: 'POST',
      headers: {
        authorization: client.basic,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'authorization_code', code: 'wrong' }),
    })
    await expect(
      oauth.processAuthorizationCodeResponse(server, { client_id: client.id }, response),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
  })
})

function locationOf(response: Response): URL {
  return new URL(response.headers.get('location') ?? '')
}

/** Returns the request that a browser would send from the self-submitting form. */
async function postedBy(response: Response): Promise<Request> {
  const html = await response.text()
  const [, action = ''] = /action="([^"]+)"/.exec(html) ?? []
  const inputs = [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)]
  const fields = inputs.map(([, name = '', value = '']): [string, string] => [name, value])
  const body = new URLSearchParams(fields)
  return new Request(action, { method: 'POST', body })
}
