import { expect } from 'vitest'
import { createModuleTests } from '../../support/oidc/conformance/module-tests.ts'
import {
  type RelyingParty,
  readRefusal,
  signIn,
} from '../../support/oidc/conformance/relying-party.ts'

// The suite's modules about sessions. The server keeps no session: every sign-in requires a proof, whatever the request says (decision
// 20).

const { passes, refuses } = createModuleTests()

passes('oidcc-prompt-login', async (party) => {
  await signIn(party)
  await expectProofAgain(party, { prompt: 'login' })
})

passes('oidcc-prompt-none-not-logged-in', async (party) => {
  // A long state, with characters that wrong encoding would change.
  const state = '&=+ %2B<">'.padEnd(128, 'é~')
  const { error } = await readRefusal(party, { prompt: 'none', state })
  expect(error).toBe('login_required')
})

refuses('oidcc-prompt-none-logged-in', async (party) => {
  await signIn(party)
  const { error } = await readRefusal(party, { prompt: 'none' })
  expect(error).toBe('login_required')
})

passes('oidcc-max-age-1', async (party) => {
  await signIn(party)
  await expectProofAgain(party, { max_age: '1' })
})

refuses('oidcc-max-age-10000', async (party) => {
  await signIn(party, { max_age: '15000' })
  await expectProofAgain(party, { max_age: '10000' })
})

refuses('oidcc-id-token-hint', async (party) => {
  const { idToken } = await signIn(party)
  const hint = { id_token_hint: idToken.jwt }
  const { error } = await readRefusal(party, { ...hint, prompt: 'none' })
  expect(error).toBe('login_required')
  const again = await signIn(party, hint)
  expect(again.idToken.claims.sub).toBe(idToken.claims.sub)
})

/** Expects that the person sees the page again, and that `auth_time` is the time of this sign-in. */
async function expectProofAgain(party: RelyingParty, parameters: Record<string, string>) {
  const beganAt = Math.floor(Date.now() / 1_000)
  const { html, idTokens } = await signIn(party, { max_age: '20000', ...parameters })
  expect(html).toContain('Conformance')
  for (const { claims } of idTokens) expect(claims.auth_time).toBeGreaterThanOrEqual(beganAt)
}
