import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../../local/process/free-port.ts'
import { type PriceProvider, startPriceProvider } from '../../parts/price-provider.ts'

let provider: PriceProvider

beforeAll(async () => {
  provider = await startPriceProvider(await freePort())
})
afterAll(() => provider.stop())

/** Sends an unchanged path; `fetch` would normalize it. */
async function answerTo(path: string): Promise<unknown> {
  const [response] = await once(request(provider.url, { path }).end(), 'response')
  return JSON.parse(await text(response))
}

test('the price provider answers a request with an invalid URL', async () => {
  expect(await answerTo('//')).toEqual({})
  expect(await answerTo('/simple/price?ids=usd-coin&vs_currencies=usd')).toMatchObject({
    'usd-coin': { usd: expect.any(Number) },
  })
})
