import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi'
import { expect } from 'vitest'
import { getsAccessToken, hasCode, hasIdToken } from '../../support/oidc/conformance/flows.ts'
import { createModuleTests } from '../../support/oidc/conformance/module-tests.ts'
import {
  discover,
  readErrorPage,
  readRefusal,
  requestTokens,
  requestUserinfo,
  signIn,
} from '../../support/oidc/conformance/relying-party.ts'
import { registerClient } from '../../support/oidc/register-client.ts'
import { ISSUER } from '../../support/oidc/start-sign-in.ts'

// The suite's modules about the result of a sign-in, and about sign-ins that fail. `signIn` also checks every response on the
// way.

const { passes, warns, skips } = createModuleTests()

warns('oidcc-server', async (party) => {
  const { code, idTokens } = await signIn(party)
  expect(code).toMatch(hasCode(party.flow) ? /^[\w-]{43}$/ : /^$/)
  for (const { claims } of idTokens) {
    expect(claims).not.toHaveProperty('name')
    // This is the only claim that is not in the standard.
    expect(claims[`${ISSUER}/beta`]).toEqual({
      likely_human: 'weak',
      credential_type: 'orb',
      staging: true,
    })
  }
})

passes(
  'oidcc-server-client-secret-post',
  async (party) => {
    const { id: client_id, secret: client_secret } = party.client
    await signIn(party, {}, { form: { client_id, client_secret }, headers: {} })
  },
  hasCode,
)

passes('oidcc-response-type-missing', async (party) => {
  const page = await readErrorPage(party, { response_type: '' })
  expect(page).toContain('response_type is required.')
})

passes('oidcc-idtoken-signature', async (party) => {
  for (const { header } of (await signIn(party)).idTokens)
    expect(header).toEqual({ alg: 'RS256', kid: expect.any(String) })
})

skips('oidcc-idtoken-unsigned', async (party) => {
  expect((await discover(party)).id_token_signing_alg_values_supported).not.toContain('none')
  const client = await registerClient(party.url, { id_token_signed_response_alg: 'none' })
  const { idToken } = await signIn({ ...party, client })
  expect(idToken.header.alg).toBe('RS256')
})

passes(
  'oidcc-userinfo-get',
  async (party) => {
    const { accessToken, idToken } = await signIn(party)
    const headers = { authorization: `Bearer ${accessToken}` }
    const response = await requestUserinfo(party, { headers })
    expect(await response.json()).toMatchObject({ sub: idToken.claims.sub })
  },
  getsAccessToken,
)

passes(
  'oidcc-userinfo-post-header',
  async (party) => {
    const { accessToken, idToken } = await signIn(party)
    const headers = { authorization: `Bearer ${accessToken}` }
    const response = await requestUserinfo(party, { method: 'POST', headers })
    expect(await response.json()).toMatchObject({ sub: idToken.claims.sub })
  },
  getsAccessToken,
)

warns(
  'oidcc-userinfo-post-body',
  async (party) => {
    const { accessToken } = await signIn(party)
    const body = new URLSearchParams({ access_token: accessToken })
    const response = await requestUserinfo(party, { method: 'POST', body })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="sign-in"')
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' })
  },
  getsAccessToken,
)

passes(
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
  async (party) => {
    const { idToken } = await signIn(party, { nonce: '' })
    expect(idToken.claims).not.toHaveProperty('nonce')
  },
  (flow) => !hasIdToken(flow),
)

passes(
  'oidcc-ensure-request-without-nonce-fails',
  async (party) => {
    const { error } = await readRefusal(party, { nonce: '' })
    expect(error).toBe('invalid_request')
  },
  hasIdToken,
)

passes(
  'oidcc-ensure-request-with-valid-pkce-succeeds',
  async (party) => {
    const code_verifier = generateRandomCodeVerifier()
    const code_challenge = await calculatePKCECodeChallenge(code_verifier)
    const parameters = { code_challenge, code_challenge_method: 'S256' }
    await signIn(party, parameters, { form: { code_verifier } })
  },
  hasCode,
)

passes('oidcc-ensure-registered-redirect-uri', async (party) => {
  const page = await readErrorPage(party, { redirect_uri: 'https://rp.example/another' })
  expect(page).toContain('redirect_uri')
})

const usedUp = { status: 400, body: { error: 'invalid_grant' } }

passes(
  'oidcc-codereuse',
  async (party) => {
    const { code } = await signIn(party)
    expect(await requestTokens(party, code)).toMatchObject(usedUp)
  },
  hasCode,
)

passes(
  'oidcc-codereuse-30seconds',
  async (party, { db }) => {
    const { code, accessToken } = await signIn(party)
    // Makes the code look as if it had been used half a minute ago.
    const update = await db.query(
      "update oidc_artifact set consumed_at = consumed_at - interval '30 seconds' where id = sha256(convert_to($1, 'UTF8'))",
      [code],
    )
    expect(update.rowCount).toBe(1)
    expect(await requestTokens(party, code)).toMatchObject(usedUp)
    const headers = { authorization: `Bearer ${accessToken}` }
    expect((await requestUserinfo(party, { headers })).status).toBe(401)
  },
  hasCode,
)

skips(
  'oidcc-refresh-token',
  async (party) => {
    expect((await discover(party)).grant_types_supported).not.toContain('refresh_token')
    const { tokens } = await signIn(party, { scope: 'openid offline_access', prompt: 'consent' })
    expect(tokens).not.toHaveProperty('refresh_token')
    const form = { grant_type: 'refresh_token', refresh_token: 'none' }
    expect(await requestTokens(party, 'none', { form })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    })
  },
  hasCode,
)
