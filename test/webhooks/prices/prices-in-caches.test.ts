import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

const URL_OF_BOTH = '/public/v1/miniapps/prices?cryptoCurrencies=WLD,USDCE&fiatCurrencies=USD'

let platform: TestPlatform

beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())
beforeEach(async () => {
  await store('WLD', '930000', 60)
  await store('USDCE', '999800', 120)
})

describe('cached prices are revalidated', () => {
  test('a request with a current ETag gets 304', async () => {
    const { etag } = await answer()
    for (const validator of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect((await answer({ 'if-none-match': validator })).status, validator).toBe(304)
  })

  test('a request with an old ETag gets the new prices, even if the oldest price has not changed', async () => {
    const { etag, lastModified } = await answer()
    await store('WLD', '940000', 0)
    const newAnswer = await answer()
    expect(newAnswer.lastModified).toBe(lastModified)
    for (const conditions of [
      { 'if-none-match': etag },
      { 'if-modified-since': lastModified },
      { 'if-none-match': etag, 'if-modified-since': lastModified },
    ]) {
      const { status, body } = await answer(conditions)
      expect(status, JSON.stringify(conditions)).toBe(200)
      expect(JSON.parse(body).result.prices.WLD.USD.amount).toBe('940000')
    }
  })
})

test('a body does not change the prices of a URL, because caches keep a response for its URL', async () => {
  const { body } = await answer()
  for (const requestBody of [
    '{"cryptoCurrencies":"USDCE"}',
    '{"cryptoCurrencies":"DOGE"}',
    'half a body',
  ])
    expect(await answer({}, requestBody)).toMatchObject({ status: 200, body })
})

/** Stores a price of this many seconds ago, and makes the platform read the table again. */
async function store(crypto: string, amount: string, secondsAgo: number) {
  await platform.db.query(
    `insert into price (crypto, fiat, amount, source, observed_at)
    values ($1, 'USD', $2, 'test', now() - make_interval(secs => $3))
    on conflict (crypto, fiat) do update
    set amount = excluded.amount, observed_at = excluded.observed_at`,
    [crypto, amount, secondsAgo],
  )
  platform.clock.aheadMs += 10_000
}

type Answer = { status: number; etag: string; lastModified: string; body: string }

/** Uses node:http, because `fetch` cannot send a body with GET and adds cache headers. */
function answer(headers: Record<string, string> = {}, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const requestBody = body ? { ...headers, 'content-type': 'application/json' } : headers
    const clientRequest = request(
      platform.baseUrl + URL_OF_BOTH,
      { headers: requestBody },
      async (response) => {
        const { etag = '', 'last-modified': lastModified = '' } = response.headers
        const chunks = await response.setEncoding('utf8').toArray()
        resolve({ status: response.statusCode ?? 0, etag, lastModified, body: chunks.join('') })
      },
    )
    clientRequest.on('error', reject)
    if (body) clientRequest.setHeader('content-length', Buffer.byteLength(body))
    clientRequest.end(body)
  })
}
