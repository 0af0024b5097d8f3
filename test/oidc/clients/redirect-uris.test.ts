import { expect } from 'vitest'
import { CALLBACK, postRegistration } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import type { TestSignIn } from '../../support/oidc/start-sign-in.ts'

// The redirect URIs that a client may register.

let platform: TestSignIn

test.beforeAll(({ signIn: shared }) => {
  platform = shared
})

const register = (body: unknown) => postRegistration(platform.url, body)

const validUris = [
  'https://rp.example',
  'https://rp.example:8443/cb',
  'https://sub-domain.rp.example/cb?x=1&y=%20',
  'https://203.0.113.7/cb',
  'https://localhost.example/cb',
  'https://notlocalhost/cb',
  'https://localhost6.example/cb',
  'https://xn--bcher-kva.example/',
  'https://rp.example/cb?x?',
]
const invalidUris = [
  'http://rp.example/cb',
  'https://localhost/cb',
  'https://LOCALHOST/cb',
  'https://localhost./cb',
  'https://app.localhost/cb',
  'https://localhost:8443/cb',
  'https://localhost.localdomain/cb',
  'https://shop.localdomain/cb',
  'https://localhost4/cb',
  'https://localhost4.localdomain4/cb',
  'https://localhost6/cb',
  'https://localhost6.localdomain6./cb',
  'https://ip6-localhost/cb',
  'https://IP6-loopback:8443/cb',
  'https://loopback/cb',
  'https://127.0.0.1/cb',
  'https://127.1/cb',
  'https://2130706433/cb',
  'https://0x7f000001/cb',
  'https://0x7f.1/cb',
  'https://0177.0.0.1/cb',
  'https://127.0.0.1./cb',
  'https://0.0.0.0/cb',
  'https://0/cb',
  'https://[::1]/cb',
  'https://[::ffff:127.0.0.1]/cb',
  'https://[0:0:0:0:0:0:0:1]/cb',
  'https://%6cocalhost/cb',
  'https://ｌocalhost/cb',
  'https://loc\u00ADalhost/cb',
  'https://rp.example/cb?',
  'https://rp.example?',
  'https://rp.example/cb#x',
  'https://rp.example/cb#',
  'https://user:pw@rp.example/cb',
  'https://rp.example@localhost/cb',
  'https://rp.example\\cb',
  'https:/rp.example/cb',
  'https:rp.example',
  '//rp.example/cb',
  '/cb',
  'myapp://cb',
  'javascript:alert(1)',
  'https://rp.example/a b',
  'https://rp.example/cb\n',
  ' https://rp.example/cb',
  'https://rp.example:99999/cb',
  'https://rp.example/%zz',
  'https://rp.example/cb?x=100%',
  `https://rp.example/${'x'.repeat(2_048)}`,
  '',
  'https://',
  'https://*.example/cb\u0000',
]

test.each(validUris)('the redirect URI %j is accepted', async (uri) => {
  expect(await register({ redirect_uris: [uri] })).toMatchObject({ status: 201 })
})

test.each(invalidUris)('the redirect URI %j is rejected', async (uri) => {
  expect(await register({ redirect_uris: [CALLBACK, uri] })).toMatchObject({
    status: 400,
    body: {
      code: 'invalid_redirect_uri',
      attribute: 'redirect_uris',
      error: 'invalid_redirect_uri',
    },
  })
})

test('the error for too many or too long redirect URIs states both limits', async () => {
  for (const redirect_uris of [
    Array.from({ length: 21 }, (_, i) => `${CALLBACK}${i}`),
    [`${CALLBACK}/${'x'.repeat(2_048)}`],
  ]) {
    const { body } = await register({ redirect_uris })
    expect(body.detail).toMatch(/at most 20 .* at most 2,048 characters/)
  }
})

test('the database accepts and rejects the same redirect URIs', async () => {
  const { body } = await register({ redirect_uris: [CALLBACK] })
  const insert = (uri: string) =>
    platform.db.query('insert into redirect (app_id, redirect_uri) values ($1, $2)', [
      body.client_id,
      uri,
    ])
  for (const uri of validUris.slice(1)) await insert(uri)
  for (const uri of invalidUris.filter((text) => !text.includes('\u0000')))
    await expect(insert(uri), uri).rejects.toMatchObject({ code: '23514' })
})
