import { describe, expect } from 'vitest'
import { CALLBACK, postRegistration } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import type { TestSignIn } from '../../support/oidc/start-sign-in.ts'
import { fetchVia } from '../../support/oidc/visitor.ts'

// GET /register/{client_id} (RFC 7592 2.1).

let platform: TestSignIn

test.beforeAll(({ signIn }) => {
  platform = signIn
})

const register = (body: unknown) => postRegistration(platform.url, body)

describe('GET /register/{client_id} returns what the client has registered', () => {
  test.each([
    [{ token_endpoint_auth_method: 'client_secret_post' }],
    [{ token_endpoint_auth_method: 'client_secret_basic' }],
    [{ token_endpoint_auth_method: 'none' }],
    [{ application_type: 'native' }],
    [{ application_type: 'mobile' }],
    [{ application_type: 'web' }],
    [
      {
        response_types: ['code id_token', 'code'],
        grant_types: ['authorization_code', 'implicit'],
      },
    ],
  ])('a client that registers %j reads the same values', async (fields) => {
    const { body } = await register({
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code'],
      ...fields,
    })
    const { client_secret, client_secret_expires_at, ...registered } = body
    const response = await fetchVia(platform.url)(body.registration_client_uri, {
      headers: { authorization: `Bearer ${body.registration_access_token}` },
    })
    expect(await response.json()).toEqual(registered)
    expect(registered).toMatchObject(fields)
  })
})

test('a wrong registration access token gets 401 with a challenge', async () => {
  const { body } = await register({ redirect_uris: [CALLBACK] })
  const response = await fetchVia(platform.url)(body.registration_client_uri, {
    headers: { authorization: 'Bearer wrong' },
  })
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe(
    'Bearer realm="sign-in", error="invalid_token"',
  )
})
