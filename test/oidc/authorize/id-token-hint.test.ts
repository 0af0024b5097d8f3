import { describe, expect } from 'vitest'
import {
  client,
  get,
  platform,
  redirectParameters,
  setTheScene,
} from '../../support/oidc/authorize-scene.ts'
import { authorizeUrl } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import { Visitor } from '../../support/oidc/visitor.ts'

setTheScene()

describe('id_token_hint limits a sign-in to one person', () => {
  const signInAs = async (nullifier: bigint, parameters: Record<string, string>) => {
    const url = authorizeUrl(client, { response_type: 'id_token', ...parameters })
    const back = await new Visitor(platform.url).signIn(url, { nullifier })
    return redirectParameters(back.headers.get('location'))
  }

  test('a sign-in with an id_token_hint succeeds only for the person of the hint', async () => {
    const { id_token = '' } = await signInAs(1_001n, {})
    const hint = { id_token_hint: id_token }
    expect(await signInAs(1_001n, hint)).toMatchObject({ id_token: expect.any(String) })
    const stranger = await signInAs(1_002n, hint)
    expect(stranger).toMatchObject({ error: 'login_required', state: 'some-state' })
    expect(stranger).not.toHaveProperty('id_token')
  })

  test('an id_token_hint that this server has not issued is rejected immediately', async () => {
    const { location } = await get(authorizeUrl(client, { id_token_hint: 'e30.e30.e30' }))
    expect(redirectParameters(location)).toMatchObject({ error: 'invalid_request' })
  })
})
