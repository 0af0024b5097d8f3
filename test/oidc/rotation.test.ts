import { expect } from 'vitest'
import {
  authorizeUrl,
  postForm,
  registerClient,
  type TestClient,
} from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import { COOKIE_KEY, PEPPER, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { basic } from '../support/oidc/token-calls.ts'
import { Visitor } from '../support/oidc/visitor.ts'

const NEW = 'the-pepper-that-replaces-it-from-now-on'

let platform: TestSignIn

test.beforeAll(({ signIn: shared }) => {
  platform = shared
})

test('CLIENT_SECRET_PEPPER is changed while instances with either run side by side', async () => {
  const start = async (peppers: string) =>
    (await platform.startAnother({ env: { CLIENT_SECRET_PEPPER: peppers } })).url
  const accepted = await start(`${PEPPER},${NEW}`)
  const used = await start(`${NEW},${PEPPER}`)
  const after = await start(NEW)
  const old = await registerClient(accepted)
  const fresh = await registerClient(used)
  const known = (client: TestClient) => (url: string) => isKnown(url, client.basic)
  expect(await Promise.all([platform.url, accepted, used, after].map(known(old)))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(await Promise.all([platform.url, accepted, used, after].map(known(fresh)))).toEqual([
    false,
    true,
    true,
    true,
  ])
  const wrong = `Basic ${Buffer.from(`${old.id}:sk_${'0'.repeat(48)}`).toString('base64')}`
  for (const url of [accepted, used]) expect(await isKnown(url, wrong)).toBe(false)
})

test('COOKIE_KEYS is changed in three steps of one or two keys, and no sign-in under way is lost', async () => {
  const fresh = 'the-cookie-key-that-replaces-it-now'
  const start = async (keys: string) =>
    (await platform.startAnother({ env: { COOKIE_KEYS: keys } })).url
  const steps = [
    platform.url,
    await start(`${COOKIE_KEY},${fresh}`),
    await start(`${fresh},${COOKIE_KEY}`),
    await start(fresh),
  ]
  const client = await registerClient(platform.url)
  // Instances of one step and of the next run side by side during each roll-out.
  for (const [index, before] of steps.slice(0, -1).entries()) {
    const after = steps[index + 1] ?? ''
    for (const [first, second] of [
      [before, after],
      [after, before],
    ]) {
      const address = { url: first }
      const visitor = new Visitor(() => String(address.url))
      const page = await visitor.begin(authorizeUrl(client))
      address.url = second
      const answer = await visitor.prove(page)
      expect([index, answer.status, await answer.json()]).toEqual([
        index,
        200,
        { redirect_to: expect.any(String) },
      ])
    }
  }
})

/** Whether the client is authenticated: only then is its (invalid) code looked at. */
async function isKnown(url: string, authorization: string): Promise<boolean> {
  const form = { grant_type: 'authorization_code', code: 'none' }
  const { body } = await postForm(url, '/token', form, { authorization })
  expect(body.code).toBeOneOf(['invalid_grant', 'unauthenticated'])
  return body.code === 'invalid_grant'
}

test('while a pepper is changed, a client id that cannot be stored fails no other request', async () => {
  const { url } = await platform.startAnother({ env: { CLIENT_SECRET_PEPPER: `${NEW},${PEPPER}` } })
  const known = await Promise.all(Array.from({ length: 8 }, () => registerClient(url)))
  const impossible = basic('a%00b', 'secret').authorization
  const redeem = (authorization: string) =>
    postForm(url, '/token', { grant_type: 'authorization_code', code: 'none' }, { authorization })
  const answers = await Promise.all(
    known.map((client) => Promise.all([redeem(impossible), redeem(client.basic)])),
  )
  for (const [, answer] of answers) expect(answer.body).toMatchObject({ error: 'invalid_grant' })
})
