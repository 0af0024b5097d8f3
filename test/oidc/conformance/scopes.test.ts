import { expect } from 'vitest'
import { getsAccessToken } from '../../support/oidc/conformance/flows.ts'
import { createModuleTests } from '../../support/oidc/conformance/module-tests.ts'
import {
  discover,
  type RelyingParty,
  type SignInResult,
  signIn,
} from '../../support/oidc/conformance/relying-party.ts'

// The suite's modules about the supported scopes and their claims (Core 5.4).

const { warns, skips } = createModuleTests()

/** The claims of the scope profile. The person is anonymous, so the values are the same for everyone. */
const PROFILE = { name: 'World ID User', given_name: 'World ID', family_name: 'User' }
const EMAIL = { email: expect.stringMatching(/^[0-9a-f]{64}@id\.example\.test$/) }

/** Returns the claims that the relying party gets: from userinfo, or without an access token from the id_token. */
function claimsFor({ flow }: RelyingParty, { userinfo, idToken }: SignInResult) {
  return getsAccessToken(flow) ? userinfo : idToken.claims
}

warns('oidcc-scope-profile', async (party) => {
  const signedIn = await signIn(party, { scope: 'openid profile' })
  const claims = claimsFor(party, signedIn)
  expect(claims).toMatchObject(PROFILE)
  for (const name of ['nickname', 'picture', 'birthdate', 'updated_at', 'email'])
    expect(claims).not.toHaveProperty(name)
})

warns('oidcc-scope-email', (party) => expectEmail(party, 'openid email'))
warns('oidcc-ensure-other-scope-order-succeeds', (party) => expectEmail(party, 'email openid'))

/** Expects the address in userinfo and in the id_token. It is not verified, because it receives no mail. */
async function expectEmail(party: RelyingParty, scope: string) {
  const signedIn = await signIn(party, { scope })
  for (const claims of [claimsFor(party, signedIn), signedIn.idToken.claims]) {
    expect(claims).toMatchObject(EMAIL)
    expect(claims).not.toHaveProperty('email_verified')
    expect(claims).not.toHaveProperty('name')
  }
}

skips('oidcc-scope-address', (party) => expectUnknownScope(party, 'address', ['address']))

skips('oidcc-scope-phone', (party) =>
  expectUnknownScope(party, 'phone', ['phone_number', 'phone_number_verified']),
)

/** Expects that the scope is not in `scopes_supported`, and that requesting it adds no claims. */
async function expectUnknownScope(party: RelyingParty, scope: string, claims: string[]) {
  expect((await discover(party)).scopes_supported).not.toContain(scope)
  const signedIn = await signIn(party, { scope: `openid ${scope}` })
  for (const claim of claims) expect(claimsFor(party, signedIn)).not.toHaveProperty(claim)
}

skips('oidcc-scope-all', async (party) => {
  expect((await discover(party)).scopes_supported).toEqual(['openid', 'email', 'profile'])
  const scope = 'openid email profile address phone'
  const signedIn = await signIn(party, { scope })
  expect(claimsFor(party, signedIn)).toMatchObject({ ...EMAIL, ...PROFILE })
})

warns('oidcc-claims-essential', async (party) => {
  expect((await discover(party)).claims_parameter_supported).toBe(false)
  const place = getsAccessToken(party.flow) ? 'userinfo' : 'id_token'
  const claims = JSON.stringify({ [place]: { name: { essential: true } } })
  const signedIn = await signIn(party, { claims })
  expect(claimsFor(party, signedIn)).not.toHaveProperty('name')
})
