import { describe, expect } from 'vitest'
import { client, get, setTheScene } from '../../support/oidc/authorize-scene.ts'
import { authorizeUrl } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'

setTheScene()

describe('/authorize rejects a bad request without a redirect, and names the parameter', () => {
  test.each(['response_type', 'scope', 'client_id', 'redirect_uri'])(
    'a request without %s is rejected',
    async (name) => {
      for (const url of [
        authorizeUrl(client, { [name]: '' }),
        `${authorizeUrl(client, { [name]: '' })}&${name}=`,
      ])
        expect(await get(url)).toMatchObject({
          status: 400,
          location: null,
          code: 'required',
          attribute: name,
          error: 'invalid_request',
        })
    },
  )

  test.each(['client_id', 'redirect_uri'])(
    'a request that contains %s twice is rejected',
    async (attribute) => {
      const url = authorizeUrl(client)
      const again = new URL(url).searchParams.get(attribute) ?? ''
      for (const value of [again, 'https://evil.example/'])
        expect(await get(`${url}&${attribute}=${encodeURIComponent(value)}`)).toMatchObject({
          status: 400,
          location: null,
          code: 'invalid_request',
          attribute,
        })
    },
  )

  test('a request of an unknown client is rejected', async () => {
    expect(await get(authorizeUrl({ ...client, id: 'app_nobody' }))).toMatchObject({
      status: 400,
      location: null,
      code: 'invalid_client_id',
      attribute: 'client_id',
      error: 'invalid_client',
    })
  })

  test.each([
    ['client_id', 'invalid_client_id'],
    ['state', 'invalid_request'],
    ['nonce', 'invalid_request'],
    ['login_hint', 'invalid_request'],
    ['__proto__', 'invalid_request'],
  ])('the character U+0000 in %s is rejected', async (attribute, code) => {
    expect(await get(authorizeUrl(client, { [attribute]: 'a\0' }))).toMatchObject({
      status: 400,
      location: null,
      code,
      attribute,
    })
  })

  test('a browser gets an error page that names the parameter', async () => {
    const url = authorizeUrl(client)
    for (const [wrong, words] of [
      [authorizeUrl(client, { scope: '' }), 'scope is required.'],
      [`${url}&client_id=x`, 'client_id was sent more than once.'],
    ] as const) {
      const answer = await get(wrong, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
      expect(answer).toMatchObject({ status: 400, location: null })
      expect(answer.text).toContain(
        '<h1>This sign-in cannot continue</h1><p>The app that sent you here',
      )
      expect(answer.text).toContain(`<p class="note">For developers: ${words}</p>`)
    }
  })
})
