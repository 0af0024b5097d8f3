import { expect } from 'vitest'
import { mayAskUserinfo } from '../../support/oidc/conformance/flows.ts'
import { moduleTests } from '../../support/oidc/conformance/module-tests.ts'
import {
  discover,
  type RelyingParty,
  type SignedIn,
  signIn,
} from '../../support/oidc/conformance/relying-party.ts'

// Which claims a scope gives, and which scopes there are (Core 5.4).

const { passes, skips } = moduleTests()

const PROFILE = {
  name: expect.any(String),
  given_name: expect.any(String),
  family_name: expect.any(String),
}
const EMAIL = { email: expect.stringMatching(/^[0-9a-f]{64}@id\.example\.test$/) }

/** What the relying party learns: from userinfo, or without an access token from the id_token. */
function claimsFor({ flow }: RelyingParty, { userinfo, idToken }: SignedIn) {
  return mayAskUserinfo(flow) ? userinfo : idToken.claims
}

passes('oidcc-scope-profile', async (party) => {
  const signedIn = await signIn(party, { scope: 'openid profile' })
  expect(claimsFor(party, signedIn)).toMatchObject(PROFILE)
  expect(claimsFor(party, signedIn)).not.toHaveProperty('email')
})

passes('oidcc-scope-email', async (party) => {
  const signedIn = await signIn(party, { scope: 'openid email' })
  expect(claimsFor(party, signedIn)).toMatchObject(EMAIL)
  expect(claimsFor(party, signedIn)).not.toHaveProperty('name')
})

passes('oidcc-ensure-other-scope-order-succeeds', async (party) => {
  const signedIn = await signIn(party, { scope: 'email openid' })
  expect(claimsFor(party, signedIn)).toMatchObject(EMAIL)
})

skips('oidcc-scope-address', (party) => expectUnknownScope(party, 'address', ['address']))

skips('oidcc-scope-phone', (party) =>
  expectUnknownScope(party, 'phone', ['phone_number', 'phone_number_verified']),
)

/** The scope is in no list of what the server supports, and asked for all the same it gives nothing. */
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

passes('oidcc-claims-essential', async (party) => {
  expect((await discover(party)).claims_parameter_supported).toBe(false)
  const place = mayAskUserinfo(party.flow) ? 'userinfo' : 'id_token'
  const claims = JSON.stringify({ [place]: { name: { essential: true } } })
  const signedIn = await signIn(party, { claims })
  expect(claimsFor(party, signedIn)).not.toHaveProperty('name')
})
