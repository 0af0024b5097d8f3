import type { Examples } from '../../lib/runtime/web/openapi/examples-form.ts'

const CLIENT = 'app_staging_00000000000000000000000000000001'
const CALLBACK = 'http://localhost:3002/callback'
const SUB = `0x${'2a'.padStart(64, '0')}`
const JWT = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIweDJhIn0.c2lnbmF0dXJl'

const REGISTERED = 'app_staging_00000000000000000000000000000003'
const REDIRECTS = ['https://shop.example/callback']

/** Returns the examples of the operations in the description, by method and path. */
export function examplesOf(issuer: string): Record<string, Examples> {
  return { ...signInExamples(issuer), ...clientExamples(issuer) }
}

/** Returns the examples of the operations that sign a person in. */
function signInExamples(issuer: string): Record<string, Examples> {
  const beta = { likely_human: 'weak', credential_type: 'orb', staging: true }
  // The client of these examples is a staging app.
  const claims = { sub: SUB, [`${issuer}/beta`]: beta }
  return {
    'GET /.well-known/openid-configuration': {
      answers: { 200: { 'The configuration': discoveryOf(issuer) } },
    },
    'GET /jwks': { answers: { 200: { 'The keys in use': { keys: [KEY] } } } },
    'GET /authorize': {
      parameters: {
        response_type: 'code',
        scope: 'openid',
        client_id: CLIENT,
        redirect_uri: CALLBACK,
        state: 'a-value-of-yours',
        nonce: 'another-value-of-yours',
      },
    },
    'POST /token': {
      request: {
        'a code that came back with the person': {
          grant_type: 'authorization_code',
          code: 'the-code',
          redirect_uri: CALLBACK,
        },
      },
      answers: { 200: { 'The tokens': TOKENS } },
    },
    'POST /introspect': {
      request: { 'an access token': { token: JWT } },
      answers: {
        200: {
          'a token that is active': {
            active: true,
            client_id: CLIENT,
            exp: 1_767_272_400,
            ...claims,
          },
        },
      },
    },
    'GET /userinfo': { answers: { 200: { 'The claims': claims } } },
    'POST /userinfo': { answers: { 200: { 'The claims': claims } } },
    'GET /openapi.json': { answers: { 200: { 'The description': { openapi: '3.1.1' } } } },
  }
}

function discoveryOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: ['openid', 'email', 'profile'],
    response_types_supported: ['code', 'id_token', 'id_token token', 'code id_token'],
  }
}

const KEY = {
  kty: 'RSA',
  use: 'sig',
  alg: 'RS256',
  kid: 'jwk_9302cfdf',
  e: 'AQAB',
  n: 'u1SU1LfV',
}

const TOKENS = {
  access_token: JWT,
  token_type: 'Bearer',
  expires_in: 3600,
  scope: 'openid',
  id_token: JWT,
}

/** Returns the examples of the registration of clients (RFC 7591, RFC 7592). */
function clientExamples(issuer: string): Record<string, Examples> {
  const commonFields = {
    client_id: REGISTERED,
    registration_access_token: 'the-registration-access-token-of-the-client',
    registration_client_uri: `${issuer}/register/${REGISTERED}`,
    environment: 'staging',
    removed_if_unused_at: 1_769_860_800,
    application_type: 'web',
    client_name: 'Shop',
    redirect_uris: REDIRECTS,
  }
  const answer = {
    ...commonFields,
    client_secret: 'a-secret-that-is-shown-this-once',
    client_secret_expires_at: 0,
    client_id_issued_at: '2026-01-01T12:00:00.123Z',
    grant_types: 'authorization_code',
    response_types: 'code',
  }
  const registration = {
    ...commonFields,
    client_id_issued_at: 1_767_268_800,
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
  }
  return {
    'POST /register': {
      request: { 'a website': { client_name: 'Shop', redirect_uris: REDIRECTS } },
      answers: { 201: { 'The client, with its secret': answer } },
    },
    'GET /register/{client_id}': {
      parameters: { client_id: REGISTERED },
      answers: { 200: { 'The registration': registration } },
    },
  }
}
