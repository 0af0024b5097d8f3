import { UnsecuredJWT } from 'jose'
import { expect } from 'vitest'
import { createModuleTests } from '../../support/oidc/conformance/module-tests.ts'
import {
  discover,
  type RelyingParty,
  readErrorPage,
  readRefusal,
  requestTokens,
  requestUserinfo,
  signIn,
  urlOf,
} from '../../support/oidc/conformance/relying-party.ts'
import { CALLBACK, registerClient } from '../../support/oidc/register-client.ts'
import { ISSUER } from '../../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../../support/oidc/visitor.ts'

// The suite's modules about discovery and registration. A test in this file changes the server's keys.

const { passes, refuses } = createModuleTests({ isApart: true })

passes('oidcc-discovery-endpoint-verification', async (party) => {
  const document = await discover(party)
  expect(document).toMatchObject({
    issuer: ISSUER,
    response_types_supported: expect.arrayContaining(['code', 'id_token', 'id_token token']),
    grant_types_supported: expect.arrayContaining(['authorization_code', 'implicit']),
    scopes_supported: expect.arrayContaining(['openid']),
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
    claims_supported: expect.arrayContaining(['sub', 'iss', 'auth_time', 'name', 'email']),
    code_challenge_methods_supported: ['S256'],
  })
  const addresses = Object.entries(document).filter(([name]) => /_(endpoint|uri)$/.test(name))
  expect(addresses.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      ...['authorization', 'token', 'userinfo', 'registration'].map((name) => `${name}_endpoint`),
      'jwks_uri',
    ]),
  )
  for (const [, address] of addresses) expect(address).toMatch(/^https:\/\/id\.example\.test\//)
  for (const locale of document.ui_locales_supported)
    expect(Intl.getCanonicalLocales(locale)).toEqual([locale])
  expectPublicKeys(await readKeys(party))
})

type Key = Record<string, unknown>

async function readKeys({ url }: RelyingParty): Promise<Key[]> {
  const response = await fetchVia(url)(`${ISSUER}/jwks`)
  return Object(await response.json()).keys
}

/** Expects each key to have a distinct `kid` and no private part (RFC 7518 6.3.2). */
function expectPublicKeys(keys: Key[]) {
  for (const key of keys) {
    expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256', kid: expect.any(String) })
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'])
      expect(key).not.toHaveProperty(secret)
  }
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length)
}

passes('oidcc-server-rotate-keys', async (party, platform) => {
  const before = await readKeys(party)
  // The newest key is about to expire, so the server makes another key
  // (docs/decisions/sign-in/0020-sign-in-on-oidc-provider.md).
  await platform.db.query(
    "update jwks set expires_at = now() + interval '1 day' where use = 'sign-in'",
  )
  await platform.first.services.refreshKeys()
  const after = await readKeys(party)
  expect(after).toEqual(expect.arrayContaining(before))
  expect(after).toHaveLength(before.length + 1)
  expectPublicKeys(after)
})

passes('oidcc-idtoken-rs256', async (party) => {
  const client = await registerClient(party.url, { id_token_signed_response_alg: 'RS256' })
  const { idToken } = await signIn({ ...party, client })
  expect(idToken.header).toEqual({ alg: 'RS256', kid: expect.any(String) })
})

refuses('oidcc-userinfo-rs256', async (party) => {
  expect(await discover(party)).not.toHaveProperty('userinfo_signing_alg_values_supported')
  const client = await registerClient(party.url, { userinfo_signed_response_alg: 'RS256' })
  const { accessToken } = await signIn({ ...party, client })
  const authorization = `Bearer ${accessToken}`
  const response = await requestUserinfo(party, { headers: { authorization } })
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
})

passes('oidcc-ensure-redirect-uri-in-authorization-request', async (party) => {
  const page = await readErrorPage(party, { redirect_uri: '' })
  expect(page).toContain('redirect_uri is required.')
})

const WITH_QUERY = `${CALLBACK}?foo=bar`

passes('oidcc-redirect-uri-query-OK', async (party) => {
  const client = await registerClient(party.url, { redirect_uris: [WITH_QUERY] })
  await signIn({ ...party, client, redirectUri: WITH_QUERY })
})

passes('oidcc-redirect-uri-query-mismatch', async (party) => {
  const client = await registerClient(party.url, { redirect_uris: [WITH_QUERY] })
  for (const redirect_uri of [`${CALLBACK}?foo=other`, `${WITH_QUERY}&more=1`, CALLBACK])
    expect(await readErrorPage({ ...party, client }, { redirect_uri })).toContain('redirect_uri')
})

passes('oidcc-redirect-uri-query-added', async (party) => {
  expect(await readErrorPage(party, { redirect_uri: WITH_QUERY })).toContain('redirect_uri')
})

passes('oidcc-redirect-uri-regfrag', async (party) => {
  const { status, body } = await register(party, { redirect_uris: [`${CALLBACK}#foo`] })
  expect(status).toBe(400)
  expect(body).toMatchObject({ error: 'invalid_redirect_uri' })
})

/** Registers a client with the given metadata and the metadata that the suite always sends. */
async function register({ url }: RelyingParty, metadata: object) {
  const response = await fetchVia(url)(`${ISSUER}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Conformance',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      contacts: ['person@rp.example'],
      ...metadata,
    }),
  })
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  return { status: response.status, body: Object(await response.json()) }
}

refuses('oidcc-registration-logo-uri', (party) => expectNotShown(party, 'logo_uri'))
refuses('oidcc-registration-policy-uri', (party) => expectNotShown(party, 'policy_uri'))
refuses('oidcc-registration-tos-uri', (party) => expectNotShown(party, 'tos_uri'))

/** Expects that the client is registered without this address, and that the page does not show the address. */
async function expectNotShown(party: RelyingParty, name: string) {
  const address = 'https://rp.example/about'
  const { status, body } = await register(party, { [name]: address })
  expect(status).toBe(201)
  expect(body).not.toHaveProperty(name)
  const client = { id: body.client_id, secret: '', basic: '' }
  const { html } = await new Visitor(party.url).begin(urlOf({ ...party, client }, {}))
  expect(html).not.toContain(address)
}

const SECTOR = { subject_type: 'pairwise', sector_identifier_uri: 'https://rp.example/sector.json' }

passes('oidcc-registration-sector-uri', async (party) => {
  expect((await discover(party)).subject_types_supported).toContain('pairwise')
  expect((await register(party, SECTOR)).status).toBe(201)
})

refuses('oidcc-registration-sector-bad', async (party) => {
  const { status, body } = await register(party, SECTOR)
  expect(status).toBe(201)
  expect(body).not.toHaveProperty('sector_identifier_uri')
})

const KEYS_OF_CLIENT = {
  token_endpoint_auth_method: 'private_key_jwt',
  jwks_uri: 'https://rp.example/jwks',
}

refuses('oidcc-registration-jwks-uri', (party) => expectNoKeys(party, KEYS_OF_CLIENT))
refuses('oidcc-refresh-token-rp-key-rotation', (party) =>
  expectNoKeys(party, { ...KEYS_OF_CLIENT, grant_types: ['authorization_code', 'refresh_token'] }),
)

/** Expects that a client that would authenticate with its own key is not registered. */
async function expectNoKeys(party: RelyingParty, metadata: object) {
  const { status, body } = await register(party, metadata)
  expect(status).toBe(400)
  expect(body).toMatchObject({
    error: 'invalid_client_metadata',
    attribute: 'token_endpoint_auth_method',
  })
}

refuses('oidcc-ensure-client-assertion-with-iss-aud-succeeds', async (party) => {
  const { token_endpoint_auth_methods_supported } = await discover(party)
  expect(token_endpoint_auth_methods_supported).not.toContain('private_key_jwt')
  const { status, body } = await requestTokens(party, 'none', {
    form: {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: new UnsecuredJWT({ iss: party.client.id, aud: ISSUER }).encode(),
    },
    headers: {},
  })
  expect(status).toBe(401)
  expect(body).toMatchObject({ error: 'invalid_client' })
})

refuses('oidcc-request-uri-unsigned', (party) => expectNoRequestUri(party, 'none'))
refuses('oidcc-request-uri-signed-rs256', (party) => expectNoRequestUri(party, 'RS256'))

/** Expects that a request with `request_uri` is rejected, even if the client has registered the URI. */
async function expectNoRequestUri(party: RelyingParty, request_object_signing_alg: string) {
  const request_uri = 'https://rp.example/request.jwt'
  const metadata = { request_uris: [request_uri], request_object_signing_alg }
  const client = await registerClient(party.url, metadata)
  const { error } = await readRefusal({ ...party, client }, { request_uri })
  expect(error).toBe('request_uri_not_supported')
}
