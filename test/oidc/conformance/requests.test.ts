import { UnsecuredJWT } from 'jose'
import { expect } from 'vitest'
import { createModuleTests } from '../../support/oidc/conformance/module-tests.ts'
import {
  discover,
  type RelyingParty,
  readErrorPage,
  readRefusal,
  signIn,
  urlOf,
} from '../../support/oidc/conformance/relying-party.ts'
import { CALLBACK, postForm } from '../../support/oidc/register-client.ts'

// The suite's modules about optional parameters, and about ways to send a request (Core 3.1.2.1, 6).

const { passes, warns, refuses, skips } = createModuleTests()

passes('oidcc-display-page', asAlways({ display: 'page' }))
passes('oidcc-display-popup', asAlways({ display: 'popup' }))
passes('oidcc-login-hint', asAlways({ login_hint: 'buffy@id.example.test' }))
passes('oidcc-claims-locales', asAlways({ claims_locales: 'se' }))
passes('oidcc-ensure-request-with-unknown-parameter-succeeds', asAlways({ extra: 'foobar' }))

/** Expects that the parameters do not change the sign-in. */
function asAlways(parameters: Record<string, string>) {
  return async (party: RelyingParty) => {
    const { html } = await signIn(party, parameters)
    expect(html).toContain('Conformance')
  }
}

passes('oidcc-ui-locales', async (party) => {
  expect((await signIn(party, { ui_locales: 'se' })).html).toContain('<html lang="en"')
  expect((await signIn(party, { ui_locales: 'se de' })).html).toContain('<html lang="de"')
})

warns('oidcc-ensure-request-with-acr-values-succeeds', async (party) => {
  const { idToken } = await signIn(party, { acr_values: '1 2' })
  expect(idToken.claims).not.toHaveProperty('acr')
})

refuses('oidcc-ensure-post-request-succeeds', async (party) => {
  const { searchParams } = new URL(urlOf(party, {}))
  const answer = await postForm(party.url, '/authorize', Object.fromEntries(searchParams))
  expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
  expect(answer.headers.get('allow')).toBe('GET, HEAD')
})

/** Makes a request as an unsigned JWT, with parameters that the query lacks. */
const requestObject = () =>
  new UnsecuredJWT({ redirect_uri: CALLBACK, state: 'inside', nonce: 'inside' }).encode()

skips(
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
  async (party) => {
    expect(await discover(party)).not.toHaveProperty('request_object_signing_alg_values_supported')
    const { error } = await readRefusal(party, { request: requestObject() })
    expect(error).toBe('request_not_supported')
  },
)

skips(
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
  async (party) => {
    expect((await discover(party)).request_uri_parameter_supported).toBe(false)
    const { error } = await readRefusal(party, { request_uri: 'https://rp.example/request.jwt' })
    expect(error).toBe('request_uri_not_supported')
  },
)

passes('oidcc-ensure-request-object-with-redirect-uri', async (party) => {
  const parameters = { request: requestObject(), redirect_uri: 'https://rp.example/another' }
  expect(await readErrorPage(party, parameters)).toContain('redirect_uri')
})
