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

test('instances with the old and the new CLIENT_SECRET_PEPPER accept the same clients during a change', async () => {
  const start = async (peppers: string) =>
    (await platform.startAnother({ env: { CLIENT_SECRET_PEPPER: peppers } })).url
  const oldFirst = await start(`${PEPPER},${NEW}`)
  const newFirst = await start(`${NEW},${PEPPER}`)
  const newOnly = await start(NEW)
  const oldClient = await registerClient(oldFirst)
  const newClient = await registerClient(newFirst)
  const checkClient = (client: TestClient) => (url: string) => isKnown(url, client.basic)
  expect(
    await Promise.all([platform.url, oldFirst, newFirst, newOnly].map(checkClient(oldClient))),
  ).toEqual([true, true, true, false])
  expect(
    await Promise.all([platform.url, oldFirst, newFirst, newOnly].map(checkClient(newClient))),
  ).toEqual([false, true, true, true])
  const wrong = `Basic ${Buffer.from(`${oldClient.id}:sk_${'0'.repeat(48)}`).toString('base64')}`
  for (const url of [oldFirst, newFirst]) expect(await isKnown(url, wrong)).toBe(false)
})

test('a change of COOKIE_KEYS in three steps loses no sign-in in progress', async () => {
  const newKey = 'the-cookie-key-that-replaces-it-now'
  const start = async (keys: string) =>
    (await platform.startAnother({ env: { COOKIE_KEYS: keys } })).url
  const steps = [
    platform.url,
    await start(`${COOKIE_KEY},${newKey}`),
    await start(`${newKey},${COOKIE_KEY}`),
    await start(newKey),
  ]
  const client = await registerClient(platform.url)
  // During each rollout, instances of one step and of the next step run at the same time.
  for (const [index, earlierUrl] of steps.slice(0, -1).entries()) {
    const laterUrl = steps[index + 1] ?? ''
    for (const [first, second] of [
      [earlierUrl, laterUrl],
      [laterUrl, earlierUrl],
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

/** Reports whether the server accepts the client's secret: it checks the (invalid) code only after the secret. */
async function isKnown(url: string, authorization: string): Promise<boolean> {
  const form = { grant_type: 'authorization_code', code: 'none' }
  const { body } = await postForm(url, '/token', form, { authorization })
  expect(body.code).toBeOneOf(['invalid_grant', 'unauthenticated'])
  return body.code === 'invalid_grant'
}

test('with two peppers, a client id that PostgreSQL cannot store fails no other request', async () => {
  const { url } = await platform.startAnother({ env: { CLIENT_SECRET_PEPPER: `${NEW},${PEPPER}` } })
  const clients = await Promise.all(Array.from({ length: 8 }, () => registerClient(url)))
  const impossible = basic('a%00b', 'secret').authorization
  const redeem = (authorization: string) =>
    postForm(url, '/token', { grant_type: 'authorization_code', code: 'none' }, { authorization })
  const answers = await Promise.all(
    clients.map((client) => Promise.all([redeem(impossible), redeem(client.basic)])),
  )
  for (const [, answer] of answers) expect(answer.body).toMatchObject({ error: 'invalid_grant' })
})
