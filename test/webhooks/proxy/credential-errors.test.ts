import { describe, expect } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import { platform, setTheScene, team } from '../../support/webhooks/proxy/graphql-scene.ts'

setTheScene()

describe('the message of a 401 says what is wrong with the credentials', () => {
  const messagesFor = async (authorization?: string) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const graphql = await platform.post('/v1/graphql', { query: '{ app { id } }' }, headers)
    const address = `${platform.baseUrl}/api/v2/minikit/transaction/txn_1?app_id=app_1&type=payment`
    const payment = await fetch(address, { headers })
    expect([graphql.status, payment.status]).toEqual([401, 401])
    const [{ message, extensions }] = Object(graphql.body).errors
    expect(extensions.code).toBe('access-denied')
    const paymentError = Object(await payment.json())
    expect(paymentError.code).toBe('unauthenticated')
    return [message, paymentError.detail]
  }

  test.each([
    ['missing credentials', undefined, /^Authorization is missing/],
    ['credentials with another scheme', 'Basic eDp5', /^Authorization is malformed/],
    ['a truncated API key', 'Bearer api_a2V5', /^The API key is malformed/],
  ])('the message of a 401 describes %s', async (_name, authorization, words) => {
    for (const detail of await messagesFor(authorization)) expect(detail).toMatch(words)
  })

  test('an unknown key and a wrong secret get the same message', async () => {
    const wrongSecret = Buffer.from(team.apiKey.slice(4), 'base64url')
      .toString()
      .replace(/:..../, ':0000')
    const unknown = `key_${'0'.repeat(32)}:secret`
    for (const text of [wrongSecret, unknown])
      for (const detail of await messagesFor(
        `Bearer api_${Buffer.from(text).toString('base64url')}`,
      ))
        expect(detail).toMatch(/^There is no such API key/)
  })

  test('only a caller with the secret learns that a key was revoked', async () => {
    const revokedTeam = await platform.team()
    await platform.db.query('update api_key set is_active = false where id = $1', [
      revokedTeam.keyId,
    ])
    for (const detail of await messagesFor(`Bearer ${revokedTeam.apiKey}`))
      expect(detail).toBe('This API key has been revoked.')
    const guess = Buffer.from(`${revokedTeam.keyId}:guess`).toString('base64url')
    for (const detail of await messagesFor(`Bearer api_${guess}`))
      expect(detail).toMatch(/^There is no such API key/)
  })

  test('a token that is not a login gets a message about both kinds of credentials', async () => {
    const [message] = await messagesFor('Bearer e30.e30.e30')
    expect(message).toMatch(/^These credentials are neither an API key/)
  })
})
