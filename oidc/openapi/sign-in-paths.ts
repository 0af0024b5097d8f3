import { formIsRequired } from '../errors/content-type.ts'
import { formBody, jsonAnswer, refusals } from './answers.ts'
import { claimsOf, Discovery, introspectedOf, Keys, Tokens } from './schemas.ts'

const text = { type: 'string' }
const CLIENT = 'app_staging_00000000000000000000000000000001'
const CALLBACK = 'http://localhost:3002/callback'
const SUB = `0x${'2a'.padStart(64, '0')}`
const JWT = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIweDJhIn0.c2lnbmF0dXJl'

/** What a relying party calls to sign a person in (OpenID Connect Core 1.0, RFC 6749, RFC 7662). */
export function signInPaths(issuer: string) {
  return {
    '/.well-known/openid-configuration': { get: discoveryOperation(issuer) },
    '/jwks': { get: KEYS },
    '/authorize': { get: AUTHORIZE },
    '/token': { post: TOKEN },
    '/introspect': { post: introspectOperation(issuer) },
    '/userinfo': {
      get: userinfoOperation('readClaims', issuer),
      post: userinfoOperation('postForClaims', issuer),
    },
    '/openapi.json': { get: DESCRIPTION },
  }
}

function discoveryOperation(issuer: string) {
  const example = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: ['openid', 'email', 'profile'],
    response_types_supported: ['code', 'id_token', 'id_token token', 'code id_token'],
  }
  return {
    operationId: 'discover',
    tags: ['Sign-in'],
    summary: 'Discovery: every address, and what is supported',
    responses: { 200: jsonAnswer('The configuration', Discovery, example), ...refusals() },
  }
}

const KEYS = {
  operationId: 'readKeys',
  tags: ['Sign-in'],
  summary: 'The public keys of tokens',
  responses: {
    200: jsonAnswer(
      'The keys in use',
      Keys,
      {
        keys: [
          { kty: 'RSA', use: 'sig', alg: 'RS256', kid: 'jwk_9302cfdf', e: 'AQAB', n: 'u1SU1LfV' },
        ],
      },
      'application/jwk-set+json',
    ),
    ...refusals(),
  },
}

const AUTHORIZE = {
  operationId: 'authorize',
  tags: ['Sign-in'],
  summary: "Begin a sign-in, in the person's browser",
  description:
    'Where the operator has set AUTHORIZE_BY_POST, `POST` with a form of these parameters does the same.',
  parameters: [
    ...queryParameters({
      response_type: 'code',
      scope: 'openid',
      client_id: CLIENT,
      redirect_uri: CALLBACK,
    }).map((parameter) => ({ ...parameter, required: true })),
    ...queryParameters({ state: 'a-value-of-yours', nonce: 'another-value-of-yours' }),
    ...['response_mode', 'code_challenge', 'code_challenge_method', 'ui_locales'].map((name) => ({
      name,
      in: 'query',
      schema: text,
    })),
  ],
  responses: {
    303: {
      description: 'To the page where the person signs in, or back to the website with an error',
      headers: { location: { schema: text } },
    },
    ...withPages(
      refusals(
        'required',
        'invalid_client_id',
        'invalid_redirect_uri',
        'invalid_request',
        'rate_limited',
      ),
    ),
  },
}

/** A browser, which prefers HTML, gets a page that says the same. */
function withPages(refused: ReturnType<typeof refusals>) {
  const page = { schema: text, example: '<!doctype html>\n<html lang="en">…</html>' }
  const responses = Object.entries(refused).map(
    ([status, response]) =>
      [status, { ...response, content: { ...response.content, 'text/html': page } }] as const,
  )
  return Object.fromEntries(responses)
}

function queryParameters(examples: Record<string, string>) {
  return Object.entries(examples).map(([name, example]) => ({
    name,
    in: 'query',
    schema: text,
    example,
  }))
}

const TOKEN = {
  operationId: 'exchangeCode',
  tags: ['Sign-in'],
  summary: 'Exchange a code for tokens',
  security: [{ client: [] }, {}],
  requestBody: formBody(
    {
      type: 'object',
      properties: {
        grant_type: { const: 'authorization_code' },
        code: text,
        redirect_uri: text,
        code_verifier: text,
        client_id: text,
        client_secret: text,
      },
      required: ['grant_type', 'code'],
    },
    'a code that came back with the person',
    { grant_type: 'authorization_code', code: 'the-code', redirect_uri: CALLBACK },
  ),
  responses: {
    200: jsonAnswer('The tokens', Tokens, {
      access_token: JWT,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid',
      id_token: JWT,
    }),
    ...refusals(
      formIsRequired(),
      'payload_too_large',
      'invalid_request',
      'required',
      'invalid_grant_type',
      'invalid_grant',
      'unauthenticated',
      'rate_limited',
    ),
  },
}

function introspectOperation(issuer: string) {
  const proof = exampleOfBeta(issuer)
  const active = { active: true, client_id: CLIENT, exp: 1_767_272_400, sub: SUB, ...proof }
  return {
    operationId: 'introspect',
    tags: ['Sign-in'],
    summary: 'Ask about an access token',
    security: [{ client: [] }],
    requestBody: formBody(
      { type: 'object', properties: { token: text }, required: ['token'] },
      'an access token',
      { token: JWT },
    ),
    responses: {
      200: jsonAnswer(
        'Whether the token is active; one that is wrong, expired or revoked is not',
        introspectedOf(issuer),
        active,
      ),
      ...refusals(
        formIsRequired(),
        'payload_too_large',
        'invalid_request',
        'required',
        'unauthenticated',
        'rate_limited',
      ),
    },
  }
}

/** As in the tokens of a staging app, which the client of these examples is. */
function exampleOfBeta(issuer: string) {
  const claim = { likely_human: 'weak', credential_type: 'orb', staging: true }
  return { [`${issuer}/beta`]: claim }
}

function userinfoOperation(operationId: string, issuer: string) {
  const claims = { sub: SUB, ...exampleOfBeta(issuer) }
  return {
    operationId,
    tags: ['Sign-in'],
    summary: 'The claims of an access token',
    security: [{ accessToken: [] }],
    responses: {
      200: jsonAnswer('The claims', claimsOf(issuer), claims),
      ...refusals('unauthenticated', 'invalid_token'),
    },
  }
}

const DESCRIPTION = {
  operationId: 'describe',
  tags: ['Sign-in'],
  summary: 'This description',
  responses: {
    200: jsonAnswer(
      'The description',
      { type: 'object', properties: { openapi: { const: '3.1.1' } }, required: ['openapi'] },
      { openapi: '3.1.1' },
    ),
  },
}
