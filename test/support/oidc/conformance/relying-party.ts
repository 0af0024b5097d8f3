import { createHash, randomUUID } from 'node:crypto'
import { createLocalJWKSet, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import { expect } from 'vitest'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { authorizeUrl, CALLBACK, postForm, type TestClient } from '../register-client.ts'
import { ISSUER } from '../start-sign-in.ts'
import { fetchVia, Visitor } from '../visitor.ts'
import { type Flow, hasCode, hasIdToken, hasToken } from './flows.ts'
import { readAnswer } from './read-answer.ts'

/** The suite's client, with the flow that it uses. */
export type RelyingParty = { url: string; client: TestClient; flow: Flow; redirectUri?: string }

type Parameters = Record<string, string>

/** Additional fields for `/token`, and headers instead of Basic authentication. */
type Redemption = { form?: Parameters; headers?: Parameters }

type IdToken = { jwt: string; header: JWTHeaderParameters; claims: JWTPayload }

export type SignInResult = {
  /** The sign-in page. */
  html: string
  /** The code; empty if the flow has none. */
  code: string
  /** The access token of `/token`; if the flow does not use `/token`, the token that the browser brought. */
  accessToken: string
  /** The id_tokens that the browser brought and that `/token` returned. */
  idTokens: IdToken[]
  /** The first id_token. */
  idToken: IdToken
  /** The response of `/token`; empty if the flow does not use it. */
  tokens: Record<string, unknown>
  /** The response of `/userinfo`; empty if the flow has no access token. */
  userinfo: Record<string, unknown>
}

/** Signs a person in, and checks each response as the suite does in all its modules. */
export async function signIn(
  party: RelyingParty,
  parameters: Parameters = {},
  redemption: Redemption = {},
): Promise<SignInResult> {
  const { flow } = party
  const nonce = parameters.nonce ?? randomUUID()
  const { html, answer } = await requestAndProve(party, { ...parameters, nonce })
  const { code = '', id_token = '', access_token: browserToken = '' } = answer
  const tokens = hasCode(flow) ? await redeem(party, code, redemption) : {}
  const accessToken = String(tokens.access_token ?? browserToken)
  const browserUserinfo = hasToken(flow) ? await readUserinfo(party, browserToken) : {}
  const userinfo = hasCode(flow) ? await readUserinfo(party, accessToken) : browserUserinfo

  const idTokens: IdToken[] = []
  if (hasIdToken(flow)) {
    const idToken = await verifyIdToken(party, id_token, nonce)
    expect(idToken.claims.at_hash).toBe(hasToken(flow) ? halfHash(browserToken) : undefined)
    expect(idToken.claims.c_hash).toBe(hasCode(flow) ? halfHash(code) : undefined)
    idTokens.push(idToken)
  }
  if (hasCode(flow)) {
    const idToken = await verifyIdToken(party, String(tokens.id_token), nonce)
    expect([undefined, halfHash(accessToken)]).toContain(idToken.claims.at_hash)
    expect([undefined, halfHash(code)]).toContain(idToken.claims.c_hash)
    idTokens.push(idToken)
  }
  const idToken = requireValue(idTokens[0], 'an id_token')
  const { sub } = idToken.claims
  const claimSets = [...idTokens.map(({ claims }) => claims), browserUserinfo, userinfo]
  expect(new Set(claimSets.flatMap((claims) => claims.sub ?? []))).toEqual(new Set([sub]))
  return { html, code, accessToken, idTokens, idToken, tokens, userinfo }
}

async function requestAndProve(party: RelyingParty, parameters: Parameters) {
  const { url, flow } = party
  const state = randomUUID()
  const visitor = new Visitor(url)
  const page = await visitor.begin(urlOf(party, { ...parameters, state }))
  const { redirect_to } = Object(await (await visitor.prove(page)).json())
  const answer = await readAnswer(await visitor.request(redirect_to), flow, redirectUriOf(party))
  expect(answer.state).toBe(state)
  // `iss` is required even next to an id_token (RFC 9207 2.4).
  expect(answer.iss).toBe(ISSUER)
  expect('code' in answer).toBe(hasCode(flow))
  expect('id_token' in answer).toBe(hasIdToken(flow))
  expect('access_token' in answer).toBe(hasToken(flow))
  return { html: page.html, answer }
}

/** Returns the URL at which this relying party begins a sign-in. */
export function urlOf(party: RelyingParty, parameters: Parameters): string {
  return authorizeUrl(party.client, {
    scope: 'openid',
    response_type: party.flow.responseType,
    response_mode: party.flow.formPost ? 'form_post' : '',
    redirect_uri: redirectUriOf(party),
    ...parameters,
  })
}

function redirectUriOf({ redirectUri }: RelyingParty): string {
  return redirectUri ?? CALLBACK
}

async function redeem(party: RelyingParty, code: string, redemption: Redemption) {
  const { status, headers, body } = await requestTokens(party, code, redemption)
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
  return body
}

/** Sends a code to `/token`. */
export function requestTokens(
  party: RelyingParty,
  code: string,
  { form = {}, headers = { authorization: party.client.basic } }: Redemption = {},
) {
  const codeFields = { grant_type: 'authorization_code', code, redirect_uri: redirectUriOf(party) }
  return postForm(party.url, '/token', { ...codeFields, ...form }, headers)
}

async function readUserinfo(party: RelyingParty, accessToken: string) {
  const response = await requestUserinfo(party, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  return Object(await response.json())
}

export function requestUserinfo({ url }: RelyingParty, init: RequestInit): Promise<Response> {
  return fetchVia(url)(`${ISSUER}/userinfo`, init)
}

async function verifyIdToken({ url, client }: RelyingParty, jwt: string, nonce: string) {
  const keys = await (await fetchVia(url)(`${ISSUER}/jwks`)).json()
  const { payload, protectedHeader } = await jwtVerify(jwt, createLocalJWKSet(Object(keys)), {
    issuer: ISSUER,
    audience: client.id,
    algorithms: ['RS256'],
    requiredClaims: ['sub', 'iat', 'exp'],
  })
  expect(payload.nonce).toBe(nonce || undefined)
  return { jwt, header: protectedHeader, claims: payload }
}

/** Returns the left half of the SHA-256 hash of a text, as in `at_hash` and `c_hash` (Core 3.1.3.6, 3.3.2.11). */
function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}

/** Sends an authorization request, and reads the error with which the server sends the browser back immediately. */
export async function readRefusal(party: RelyingParty, parameters: Parameters) {
  const state = parameters.state ?? randomUUID()
  const back = await fetchVia(party.url)(urlOf(party, { ...parameters, state }))
  const answer = await readAnswer(back, party.flow, redirectUriOf(party))
  expect(answer).toMatchObject({ error: expect.any(String), state, iss: ISSUER })
  expect(answer).not.toHaveProperty('code')
  return answer
}

/** Sends an authorization request as a browser does, and reads the error page. Fails if the browser is sent back. */
export async function readErrorPage(party: RelyingParty, parameters: Parameters) {
  const response = await new Visitor(party.url).request(urlOf(party, parameters))
  expect(response.status).toBe(400)
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(response.headers.get('location')).toBeNull()
  return response.text()
}

/** Reads the discovery document. */
export async function discover({ url }: RelyingParty) {
  const response = await fetchVia(url)(`${ISSUER}/.well-known/openid-configuration`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  return Object(await response.json())
}
