import { describe, expect } from 'vitest'
import { client, get, platform, setTheScene } from '../../support/oidc/authorize-scene.ts'
import { rawRequest } from '../../support/oidc/raw-request.ts'
import { authorizeUrl } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import { ISSUER } from '../../support/oidc/start-sign-in.ts'
import { fetchVia } from '../../support/oidc/visitor.ts'

setTheScene()

describe('the host that a request names has no effect', () => {
  test.each([
    ['Host', { host: 'evil.example' }],
    ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }],
    ['Forwarded', { forwarded: 'host=evil.example;proto=http' }],
  ])('the header %s changes no URL in the discovery document', async (_name, headers) => {
    const discovery = await get(`${ISSUER}/.well-known/openid-configuration`, headers)
    expect(discovery.text).not.toContain('evil')
    expect(discovery).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
    })
  })

  test('a request line with an absolute URL changes no URL in the discovery document', async () => {
    const text = await rawRequest(
      platform.url,
      'GET https://evil.example/.well-known/openid-configuration',
    )
    expect(text).toContain(`"token_endpoint":"${ISSUER}/token"`)
    expect(text).not.toContain('evil')
  })

  test('cookies are HttpOnly, Secure, and limited to the path of the sign-in', async () => {
    const response = await fetchVia(platform.url)(authorizeUrl(client))
    const cookies = response.headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^_(interaction|resume)(\.sig)?=/)
      expect(cookie).toMatch(/; path=\/(login|authorize)\/[\w-]+;/)
      expect(cookie).toMatch(/; samesite=lax; secure; httponly/i)
    }
  })
})
