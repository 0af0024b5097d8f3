import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import { authorizeUrl, registerClient } from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let document: Record<string, unknown>

test.beforeAll(async ({ signIn: shared }) => {
  platform = shared
  const response = await fetchVia(platform.url)(`${ISSUER}/.well-known/openid-configuration`)
  document = Object(await response.json())
})

test('the discovery document has exactly the documented fields', () => {
  expect(document).toEqual({
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    userinfo_endpoint: `${ISSUER}/userinfo`,
    registration_endpoint: `${ISSUER}/register`,
    introspection_endpoint: `${ISSUER}/introspect`,
    jwks_uri: `${ISSUER}/jwks`,
    scopes_supported: ['openid', 'email', 'profile'],
    response_types_supported: ['code', 'id_token', 'id_token token', 'code id_token'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: ['authorization_code', 'implicit'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RSA', 'RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
    claim_types_supported: ['normal'],
    claims_supported: expect.any(Array),
    ui_locales_supported: ['en', 'es', 'pt', 'de', 'fr', 'ja'],
  })
})

test('claims_supported lists exactly the claims of an id_token with every scope, except aud, exp, iat and nonce', async () => {
  const client = await registerClient(platform.url)
  const url = authorizeUrl(client, { response_type: 'id_token', max_age: '0' })
  const back = await new Visitor(platform.url).signIn(url)
  const { hash } = new URL(back.headers.get('location') ?? '')
  const claims = decodeJwt(new URLSearchParams(hash.slice(1)).get('id_token') ?? '')
  const tokenClaims = ['aud', 'exp', 'iat', 'nonce']
  expect([...Object(document.claims_supported), ...tokenClaims].sort()).toEqual(
    Object.keys(claims).sort(),
  )
})
