import { afterAll, beforeAll, expect, test } from 'vitest'
import { millisToMiddleOfHour } from '../support/middle-of-an-hour.ts'
import { postForm, registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { startTestSignIn, type TestSignIn } from '../support/oidc/start-sign-in.ts'

const LIMIT = 3

let platform: TestSignIn
let url: string

beforeAll(async () => {
  platform = await startTestSignIn()
  const env = { TRUSTED_PROXY_HOPS: '1', RATE_LIMIT_TOKEN: `${LIMIT}/3600` }
  const limited = await platform.startAnother({ env, aheadMs: millisToMiddleOfHour() })
  url = limited.url
})
afterAll(() => platform.stop())

test('a client that exceeds RATE_LIMIT_TOKEN gets 429; another client at its address does not', async () => {
  const [client, other] = [await registerClient(platform.url), await registerClient(platform.url)]
  for (let i = 0; i < LIMIT; i++)
    expect(await redeem(client, '192.0.2.1')).toMatchObject({ body: { code: 'invalid_grant' } })
  expect(await redeem(client, '192.0.2.1')).toMatchObject({
    status: 429,
    body: { code: 'rate_limited', error: 'temporarily_unavailable' },
  })
  expect((await redeem(other, '192.0.2.1')).status).toBe(400)
})

test("wrong secrets from one address do not use up the client's limit at another address", async () => {
  const client = await registerClient(platform.url)
  const guess = { ...client, basic: `Basic ${btoa(`${client.id}:guess`)}` }
  for (let i = 0; i < LIMIT; i++) expect((await redeem(guess, '192.0.2.2')).status).toBe(401)
  expect((await redeem(guess, '192.0.2.2')).status).toBe(429)
  expect((await redeem(client, '192.0.2.3')).status).toBe(400)
})

test('the addresses of an IPv6 /56 network share a limit', async () => {
  const client = await registerClient(platform.url)
  for (let i = 0; i < LIMIT; i++) await redeem(client, `2001:db8:0:${i}::${i}`)
  expect((await redeem(client, '2001:db8:0:ff::1')).status).toBe(429)
  expect((await redeem(client, '2001:db8:1::1')).status).toBe(400)
})

function redeem({ basic: authorization }: TestClient, address: string) {
  const form = { grant_type: 'authorization_code', code: 'none' }
  return postForm(url, '/token', form, { authorization, 'x-forwarded-for': address })
}
