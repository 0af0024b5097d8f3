import { createServer, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { Addresses } from '../../../../local/chain/deploy.ts'
import { freePort } from '../../../../local/process/free-port.ts'
import { startChain, type TestChain } from '../../chain.ts'
import { INTERNAL_SECRET } from '../platform-environment.ts'
import { startTestPlatform, type TestPlatform } from '../start-platform.ts'

export const MAX_AGE_SECONDS = 600
export const PATH = '/public/v1/miniapps/prices'

/** The response of the provider, and the requests it got. */
export const provider = { text: '', status: 200, delayMs: 0, asked: [] as URL[] }

let server: Server
/** The chain with the price feeds, and the addresses of the feeds. */
export let anvil: TestChain
export let feeds: Addresses['feeds']
/** A platform that reads the provider and the feeds. */
export let platform: TestPlatform

/**
 * Sets the scene for the calling file. Each test begins without stored prices, and with a provider
 * that has every price.
 */
export function setTheScene(): void {
  beforeAll(start)
  afterAll(async () => {
    await platform.stop()
    await anvil.stop()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  beforeEach(() => setProviderPrices())
  afterEach(async () => {
    Object.assign(platform.clock, { aheadMs: 0, stoppedAt: null })
    Object.assign(provider, { status: 200, delayMs: 0, asked: [] })
    await platform.db.query('delete from price')
    await readPricesAgain()
  })
}

async function start() {
  server = createServer(async (request, response) => {
    provider.asked.push(new URL(request.url ?? '', 'http://provider'))
    await pause(provider.delayMs)
    response.writeHead(provider.status, { 'content-type': 'application/json' }).end(provider.text)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  anvil = await startChain()
  feeds = anvil.addresses.feeds
  const configured = Object.entries(feeds).map(([name, address]) => [
    name,
    { address, heartbeat_seconds: 86_400 },
  ])
  platform = await startTestPlatform({
    PRICE_PROVIDER_URL: `http://127.0.0.1:${port}/simple/price?key=secret`,
    PRICE_FEEDS: JSON.stringify({ rpc_url: anvil.rpcUrl, feeds: Object.fromEntries(configured) }),
    PRICE_FIATS: 'USD,EUR,JPY',
    PRICE_TIMEOUT_MS: '2000',
    PRICE_MAX_AGE_SECONDS: String(MAX_AGE_SECONDS),
  })
}

/** Sets the provider's prices, with this time. */
export function setProviderPrices(
  changedPrices: Record<string, string> = {},
  seconds = Math.floor(Date.now() / 1_000),
) {
  const prices: Record<string, string> = {
    'worldcoin-wld': '{"usd":0.93000051,"eur":0.8,"jpy":140.5}',
    'usd-coin': '{"usd":0.9998,"eur":0.86,"jpy":151}',
    ...changedPrices,
  }
  const items = Object.entries(prices).map(
    ([id, priceJson]) => `"${id}":${priceJson.replace('}', `,"last_updated_at":${seconds}}`)}`,
  )
  provider.text = `{${items.join()}}`
}

/** Runs the schedule on an instance. */
export async function refresh(baseUrl = platform.baseUrl) {
  const headers = { authorization: `Bearer ${INTERNAL_SECRET}` }
  const response = await fetch(`${baseUrl}/api/_prices`, { method: 'POST', headers })
  expect(response.status).toBe(200)
  return Object(await response.json())
}

/** Requests prices. */
export async function requestPrices(cryptos: string, fiats: string) {
  const search = new URLSearchParams({ cryptoCurrencies: cryptos, fiatCurrencies: fiats })
  const response = await fetch(`${platform.baseUrl}${PATH}?${search}`)
  const text = await response.text()
  const body: unknown = text && JSON.parse(text)
  return { status: response.status, headers: response.headers, body }
}

/** Returns one price, or undefined if it is not served. */
export async function amountOf(crypto: string, fiat: string): Promise<string> {
  const { body } = await requestPrices(crypto, fiat)
  return Object(body).result?.prices[crypto][fiat].amount
}

let refreshCount = 0

/** Makes the platform read prices again, by a request more than ten seconds later. */
async function readPricesAgain() {
  platform.clock.aheadMs = 11_000 * ++refreshCount
  await requestPrices('WLD', 'USD')
  platform.clock.aheadMs = 0
}
