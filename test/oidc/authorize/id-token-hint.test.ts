import { describe, expect } from 'vitest'
import { ask, client, platform, setTheScene, told } from '../../support/oidc/authorize-scene.ts'
import { authorizeUrl } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import { Visitor } from '../../support/oidc/visitor.ts'

setTheScene()

describe('id_token_hint', () => {
  const signInAs = async (nullifier: bigint, parameters: Record<string, string>) => {
    const url = authorizeUrl(client, { response_type: 'id_token', ...parameters })
    const back = await new Visitor(platform.url).signIn(url, { nullifier })
    return told(back.headers.get('location'))
  }

  test('lets the same person through, and nobody else', async () => {
    const { id_token = '' } = await signInAs(1_001n, {})
    const hint = { id_token_hint: id_token }
    expect(await signInAs(1_001n, hint)).toMatchObject({ id_token: expect.any(String) })
    const stranger = await signInAs(1_002n, hint)
    expect(stranger).toMatchObject({ error: 'login_required', state: 'some-state' })
    expect(stranger).not.toHaveProperty('id_token')
  })

  test('that we did not issue is refused at once', async () => {
    const { location } = await ask(authorizeUrl(client, { id_token_hint: 'e30.e30.e30' }))
    expect(told(location)).toMatchObject({ error: 'invalid_request' })
  })
})
