import { describe, expect } from 'vitest'
import { authorizeUrl, registerClient } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../../support/oidc/visitor.ts'

// RFC 6749 3.1.2: the query of a redirect URI is kept when a response is added.

let platform: TestSignIn

test.beforeAll(({ signIn }) => {
  platform = signIn
})

const ANSWER = /(code=[\w-]+&state=some-state&iss=https%3A%2F%2Fid\.example\.test)$/

describe.each([
  ['https://shop.example/index.php?/auth/callback', '&'],
  ['https://shop.example/cb?flag', '&'],
  ['https://shop.example/cb?x=a%20b', '&'],
  ['https://shop.example/cb?x=%2f&X=%2F', '&'],
  ["https://shop.example/cb?a=1&a=2&b='", '&'],
  ['https://shop.example/a/../cb?x=1&', '&'],
  ['https://shop.example/cb', '?'],
])('the redirect URI %s is kept byte for byte', (redirect_uri, separator) => {
  async function begin(parameters: Record<string, string> = {}) {
    const client = await registerClient(platform.url, { redirect_uris: [redirect_uri] })
    return authorizeUrl(client, { redirect_uri, ...parameters })
  }

  test('the code is added to the redirect URI', async () => {
    const back = await new Visitor(platform.url).signIn(await begin())
    const location = back.headers.get('location') ?? ''
    expect(location.replace(ANSWER, '')).toBe(`${redirect_uri}${separator}`)
  })

  test('the fragment is added to the redirect URI', async () => {
    const back = await new Visitor(platform.url).signIn(await begin({ response_type: 'id_token' }))
    const [uri, fragment = ''] = (back.headers.get('location') ?? '').split('#')
    expect(uri).toBe(redirect_uri)
    expect([...new URLSearchParams(fragment).keys()].sort()).toEqual(['id_token', 'iss', 'state'])
  })

  test('the error is added to the redirect URI', async () => {
    const response = await fetchVia(platform.url)(await begin({ prompt: 'none' }))
    const location = response.headers.get('location') ?? ''
    expect(location.startsWith(`${redirect_uri}${separator}error=login_required&`)).toBe(true)
    const { searchParams } = new URL(location)
    expect(searchParams.get('state')).toBe('some-state')
    expect(searchParams.get('iss')).toBe(ISSUER)
  })

  test('the link for leaving an expired sign-in adds the error to the redirect URI', async () => {
    const page = await new Visitor(platform.url).begin(await begin())
    expect(page.cancelUrl.startsWith(`${redirect_uri}${separator}error=access_denied&`)).toBe(true)
  })
})

test('a registered parameter "state" and the state of the response are both in the URL', async () => {
  const redirect_uri = 'https://shop.example/cb?state=registered'
  const client = await registerClient(platform.url, { redirect_uris: [redirect_uri] })
  const back = await new Visitor(platform.url).signIn(authorizeUrl(client, { redirect_uri }))
  const location = back.headers.get('location') ?? ''
  expect(location.startsWith(`${redirect_uri}&`)).toBe(true)
  expect(new URL(location).searchParams.getAll('state')).toEqual(['registered', 'some-state'])
})
