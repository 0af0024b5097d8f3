import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import {
  client,
  get,
  platform,
  redirectParameters,
  setTheScene,
} from '../../support/oidc/authorize-scene.ts'
import {
  authorizeUrl,
  CALLBACK,
  postForm,
  registerClient,
} from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import { ISSUER } from '../../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../../support/oidc/visitor.ts'

setTheScene()

describe('after client_id and redirect_uri are checked, errors are sent to the client', () => {
  test.each([
    ['the response type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown response type', { response_type: 'code saml' }, 'unsupported_response_type'],
    [
      'the mode query for an id_token',
      { response_type: 'id_token', response_mode: 'query' },
      'invalid_request',
    ],
    ['an unknown response mode', { response_mode: 'web_message' }, 'unsupported_response_mode'],
    ['the response mode __proto__', { response_mode: '__proto__' }, 'unsupported_response_mode'],
    ['the response mode jwt', { response_mode: 'jwt' }, 'unsupported_response_mode'],
    ['an id_token without nonce', { response_type: 'id_token', nonce: '' }, 'invalid_request'],
    ['a scope without openid', { scope: 'phone', nonce: '' }, 'invalid_scope'],
    ['a nonce without openid', { scope: 'email' }, 'invalid_scope'],
    [
      'a hint without openid',
      { scope: 'email', id_token_hint: 'x', max_age: '1' },
      'invalid_scope',
    ],
    [
      'an id_token without openid',
      { scope: 'email', response_type: 'id_token' },
      'invalid_request',
    ],
    ['prompt=none', { prompt: 'none' }, 'login_required'],
    ['a request object', { request: 'e30.e30.e30' }, 'request_not_supported'],
    [
      'a request object at a URL',
      { request_uri: 'https://evil.example/' },
      'request_uri_not_supported',
    ],
    [
      'the PKCE method plain',
      { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
      'invalid_request',
    ],
    ['another resource', { resource: 'https://evil.example/' }, 'invalid_target'],
    ['client metadata in the request', { registration: '{}' }, 'registration_not_supported'],
    [
      'a request object with the response type id_token',
      { request: 'e30.e30.e30', response_type: 'id_token' },
      'request_not_supported',
    ],
  ])('%s sends the browser back to the client with the error', async (_name, parameters, error) => {
    const { status, location } = await get(authorizeUrl(client, parameters))
    expect(status).toBe(303)
    expect(location?.startsWith(CALLBACK)).toBe(true)
    expect(redirectParameters(location)).toMatchObject({
      error,
      error_description: expect.stringMatching(/\w/),
      state: 'some-state',
      iss: ISSUER,
    })
    expect(redirectParameters(location)).not.toHaveProperty('code')
  })

  test('with response_mode=form_post, the form contains the error, and the page allows only its inline script', async () => {
    const parameters = { request: 'e30.e30.e30', response_mode: 'form_post' }
    const response = await fetchVia(platform.url)(authorizeUrl(client, parameters))
    const html = await response.text()
    const fields = [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)]
    expect(Object.fromEntries(fields.map(([, name, value]) => [name, value]))).toMatchObject({
      error: 'request_not_supported',
      error_description: expect.stringMatching(/\w/),
      state: 'some-state',
    })
    const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? []
    const digest = createHash('sha256').update(script).digest('base64')
    expect(response.headers.get('content-security-policy')).toContain(`'sha256-${digest}'`)
  })

  test('a request with a response type that the client has not registered gets unauthorized_client', async () => {
    const plain = await registerClient(platform.url, { grant_types: 'authorization_code' })
    const { location } = await get(authorizeUrl(plain, { response_type: 'id_token' }))
    expect(redirectParameters(location)).toMatchObject({
      error: 'unauthorized_client',
      error_description: 'requested response_type is not allowed for this client',
      state: 'some-state',
    })
    const inForm = { response_type: 'id_token', response_mode: 'form_post' }
    const { text } = await get(authorizeUrl(plain, inForm))
    expect(text).toContain('name="error" value="unauthorized_client"')
    // If the text of that error is part of the state, the error that the caller gets must not change.
    const state = 'error=invalid_request&error_description=requested response_type is not'
    const answer = await get(authorizeUrl(client, { prompt: 'none', state }))
    expect(redirectParameters(answer.location)).toMatchObject({ error: 'login_required', state })
  })

  test.each(['login', 'consent', 'select_account', 'login consent'])(
    'prompt=%s is accepted',
    async (prompt) => {
      const back = await new Visitor(platform.url).signIn(authorizeUrl(client, { prompt }))
      expect(redirectParameters(back.headers.get('location'))).toMatchObject({
        code: expect.any(String),
      })
    },
  )

  test('unknown scopes are ignored', async () => {
    const back = await new Visitor(platform.url).signIn(
      authorizeUrl(client, { scope: 'openid address offline_access' }),
    )
    const { code = '' } = redirectParameters(back.headers.get('location'))
    const tokens = await postForm(
      platform.url,
      '/token',
      { grant_type: 'authorization_code', code },
      { authorization: client.basic },
    )
    expect(tokens.body).toMatchObject({ scope: 'openid' })
    expect(tokens.body).not.toHaveProperty('refresh_token')
  })
})
