import { expect } from 'vitest'
import { client, platform, setTheScene } from '../../support/oidc/authorize-scene.ts'
import { authorizeUrl } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import { Visitor } from '../../support/oidc/visitor.ts'

setTheScene()

test('redirects to the page and to the client send no Referer and allow no frames', async () => {
  const visitor = new Visitor(platform.url)
  const firstRedirect = await visitor.request(authorizeUrl(client))
  const back = await visitor.signIn(authorizeUrl(client))
  for (const { status, headers } of [firstRedirect, back]) {
    expect([status, headers.get('referrer-policy')]).toEqual([303, 'no-referrer'])
    expect(headers.get('x-frame-options')).toBe('DENY')
  }
})

test('the page that returns the result by a form runs only its own script, and may post to any HTTPS host', async () => {
  const back = await new Visitor(platform.url).signIn(
    authorizeUrl(client, { response_type: 'code id_token', response_mode: 'form_post' }),
  )
  expect(back.status).toBe(200)
  expect(back.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'sha256-[\w+/=]+'; form-action https: https:\/\/rp\.example; frame-ancestors 'none'; base-uri 'none'$/,
  )
  expect(back.headers.get('cache-control')).toContain('no-store')
  // With `no-referrer`, browsers would send `Origin: null`.
  expect(back.headers.get('referrer-policy')).toBe('strict-origin')
})
