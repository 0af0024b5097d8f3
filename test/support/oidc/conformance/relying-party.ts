import { createHash, randomUUID } from 'node:crypto'
import { createLocalJWKSet, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import { expect } from 'vitest'
import { present } from '../../../../lib/runtime/present.ts'
import { authorizeUrl, CALLBACK, postForm, type TestClient } from '../register-client.ts'
import { ISSUER } from '../start-sign-in.ts'
import { fetchVia, Visitor } from '../visitor.ts'
import { type Flow, hasCode, hasIdToken, hasToken } from './flows.ts'
import { readAnswer } from './read-answer.ts'

/** The suite's client, and the way in which it asks. */
export type RelyingParty = { url: string; client: TestClient; flow: Flow; redirectUri?: string }

type Parameters = Record<string, string>

/** What `/token` is sent besides the code, and the headers: with Basic, unless these say otherwise. */
type Redemption = { form?: Parameters; headers?: Parameters }

type IdToken = { jwt: string; header: JWTHeaderParameters; claims: JWTPayload }

export type SignedIn = {
  /** The page on which the person proved. */
  html: string
  /** Empty if the flow has none. */
  code: string
  /** That of `/token`, if the flow asks there, otherwise that which the browser brought, if any. */
  accessToken: string
  /** From the browser, from `/token`, or from both. */
  idTokens: IdToken[]
  /** The first of them. */
  idToken: IdToken
  /** What `/token` answered; empty if the flow does not ask there. */
  tokens: Record<string, unknown>
  /** Empty if the flow has no access token. */
  userinfo: Record<string, unknown>
}

/** Signs a person in, and checks each answer on the way as the suite does in all its modules. */
export async function signIn(
  party: RelyingParty,
  parameters: Parameters = {},
  redemption: Redemption = {},
): Promise<SignedIn> {
  const { flow } = party
  const nonce = parameters.nonce ?? randomUUID()
  const { html, answer } = await askAndProve(party, { ...parameters, nonce })
  const { code = '', id_token = '', access_token: brought = '' } = answer
  const tokens = hasCode(flow) ? await redeem(party, code, redemption) : {}
  const accessToken = String(tokens.access_token ?? brought)
  const broughtInfo = hasToken(flow) ? await readUserinfo(party, brought) : {}
  const userinfo = hasCode(flow) ? await readUserinfo(party, accessToken) : broughtInfo

  const idTokens: IdToken[] = []
  if (hasIdToken(flow)) {
    const idToken = await verifyIdToken(party, id_token, nonce)
    expect(idToken.claims.at_hash).toBe(hasToken(flow) ? halfHash(brought) : undefined)
    expect(idToken.claims.c_hash).toBe(hasCode(flow) ? halfHash(code) : undefined)
    idTokens.push(idToken)
  }
  if (hasCode(flow)) {
    const idToken = await verifyIdToken(party, String(tokens.id_token), nonce)
    expect([undefined, halfHash(accessToken)]).toContain(idToken.claims.at_hash)
    expect([undefined, halfHash(code)]).toContain(idToken.claims.c_hash)
    idTokens.push(idToken)
  }
  const idToken = present(idTokens[0], 'an id_token')
  const { sub } = idToken.claims
  const others = [...idTokens.map(({ claims }) => claims), broughtInfo, userinfo]
  expect(new Set(others.flatMap((claims) => claims.sub ?? []))).toEqual(new Set([sub]))
  return { html, code, accessToken, idTokens, idToken, tokens, userinfo }
}

async function askAndProve(party: RelyingParty, parameters: Parameters) {
  const { url, flow } = party
  const state = randomUUID()
  const visitor = new Visitor(url)
  const page = await visitor.begin(urlOf(party, { ...parameters, state }))
  const { redirect_to } = Object(await (await visitor.prove(page)).json())
  const answer = await readAnswer(await visitor.request(redirect_to), flow, redirectUriOf(party))
  expect(answer.state).toBe(state)
  // An id_token says who issued it, too (RFC 9207 2.4).
  expect(answer.iss).toBe(ISSUER)
  expect('code' in answer).toBe(hasCode(flow))
  expect('id_token' in answer).toBe(hasIdToken(flow))
  expect('access_token' in answer).toBe(hasToken(flow))
  return { html: page.html, answer }
}

/** The address at which this relying party begins a sign-in. */
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
  const sent = { grant_type: 'authorization_code', code, redirect_uri: redirectUriOf(party) }
  return postForm(party.url, '/token', { ...sent, ...form }, headers)
}

async function readUserinfo(party: RelyingParty, accessToken: string) {
  const response = await askUserinfo(party, { headers: { authorization: `Bearer ${accessToken}` } })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  return Object(await response.json())
}

export function askUserinfo({ url }: RelyingParty, init: RequestInit): Promise<Response> {
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

/** The left half of a hash, as `at_hash` and `c_hash` are made (Core 3.1.3.6, 3.3.2.11). */
function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}

/** Asks, and reads the error with which the person's browser is sent back at once. */
export async function readRefusal(party: RelyingParty, parameters: Parameters) {
  const state = parameters.state ?? randomUUID()
  const back = await fetchVia(party.url)(urlOf(party, { ...parameters, state }))
  const answer = await readAnswer(back, party.flow, redirectUriOf(party))
  expect(answer).toMatchObject({ error: expect.any(String), state, iss: ISSUER })
  expect(answer).not.toHaveProperty('code')
  return answer
}

/** Asks as a browser does, and reads the page that says what is wrong: nobody is sent back. */
export async function readErrorPage(party: RelyingParty, parameters: Parameters) {
  const response = await new Visitor(party.url).request(urlOf(party, parameters))
  expect(response.status).toBe(400)
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(response.headers.get('location')).toBeNull()
  return response.text()
}

/** The discovery document. */
export async function discover({ url }: RelyingParty) {
  const response = await fetchVia(url)(`${ISSUER}/.well-known/openid-configuration`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  return Object(await response.json())
}
