import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { startServerProcess } from '../../../packages/platform/processes/server-process.ts'
import {
  amountOf,
  MAX_AGE_SECONDS,
  PATH,
  platform,
  provider,
  refresh,
  requestPrices,
  setProviderPrices,
  setTheScene,
} from '../../support/webhooks/prices/price-scene.ts'

setTheScene()

describe('prices are served from memory', () => {
  test('prices are integers with six decimals, by token and currency', async () => {
    await refresh()
    const { status, body, headers } = await requestPrices('WLD,USDCE', 'USD,EUR')
    expect(status).toBe(200)
    expect(body).toEqual({
      result: {
        prices: {
          WLD: {
            USD: { asset: 'USD', amount: '930001', decimals: 6, symbol: 'USD' },
            EUR: { asset: 'EUR', amount: '800000', decimals: 6, symbol: 'EUR' },
          },
          USDCE: {
            USD: { asset: 'USD', amount: '999800', decimals: 6, symbol: 'USD' },
            EUR: { asset: 'EUR', amount: '860000', decimals: 6, symbol: 'EUR' },
          },
        },
      },
    })
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  test('prices keep every digit of the provider', async () => {
    setProviderPrices({ 'worldcoin-wld': '{"usd":90071992547409931.123456}' })
    await refresh()
    expect(await amountOf('WLD', 'USD')).toBe('90071992547409931123456')
  })

  test("prices are requested together, by the provider's names", async () => {
    await refresh()
    const [asked] = provider.asked
    expect(provider.asked).toHaveLength(1)
    expect(Object.fromEntries(asked?.searchParams ?? [])).toMatchObject({
      key: 'secret',
      ids: 'worldcoin-wld,usd-coin',
      vs_currencies: 'usd,eur,jpy',
      include_last_updated_at: 'true',
    })
  })

  test('a repeated code, with or without spaces, gets one price', async () => {
    await refresh()
    const { body } = await requestPrices('WLD, WLD', ' USD ,USD')
    expect(Object.keys(Object(body).result.prices)).toEqual(['WLD'])
    expect(Object.keys(Object(body).result.prices.WLD)).toEqual(['USD'])
  })

  test('the response with prices has their age and the time for which they can be cached', async () => {
    const now = Date.now()
    platform.clock.stoppedAt = now
    const seconds = Math.floor(now / 1_000) - 100
    setProviderPrices({}, seconds)
    await refresh()
    const { headers } = await requestPrices('WLD', 'USD')
    expect(headers.get('last-modified')).toBe(new Date(seconds * 1_000).toUTCString())
    expect(headers.get('cache-control')).toBe('public, max-age=30')
    platform.clock.aheadMs = (MAX_AGE_SECONDS - 110) * 1_000
    const laterHeader = (await requestPrices('WLD', 'USD')).headers.get('cache-control')
    expect(Number(laterHeader?.split('=')[1])).toBeLessThanOrEqual(10)
  })

  test('prices are read from memory, not from the table', async () => {
    await refresh()
    await requestPrices('WLD', 'USD')
    await platform.db.query('delete from price')
    expect((await requestPrices('WLD', 'USD')).status).toBe(200)
  })

  test('an instance also serves prices that another instance refreshed', async () => {
    const other = await platform.anotherInstance()
    await refresh(other.baseUrl)
    expect((await requestPrices('WLD', 'USD')).status).toBe(200)
    setProviderPrices({ 'worldcoin-wld': '{"usd":2}' })
    await refresh(other.baseUrl)
    await vi.waitFor(async () => expect(await amountOf('WLD', 'USD')).toBe('2000000'), 30_000)
    await other.stop()
  })
})

describe('a price that is too old is not served', () => {
  test('an old price gets 503', async () => {
    setProviderPrices({}, Math.floor(Date.now() / 1_000))
    await refresh()
    platform.clock.aheadMs = (MAX_AGE_SECONDS - 60) * 1_000
    expect((await requestPrices('WLD', 'USD')).status).toBe(200)
    platform.clock.aheadMs = (MAX_AGE_SECONDS + 5) * 1_000
    const rejection = await requestPrices('WLD', 'USD')
    expect(rejection).toMatchObject({ status: 503, body: { code: 'unavailable', attribute: null } })
    expect(rejection.headers.get('retry-after')).toBe('1')
    expect(rejection.headers.get('cache-control')).toBe('no-store')
  })

  test('a price that is too old at one provider comes from the next, or the request gets 503', async () => {
    setProviderPrices({}, Math.floor(Date.now() / 1_000) - MAX_AGE_SECONDS - 10)
    await refresh()
    // No feed has a price in yen.
    expect((await requestPrices('WLD', 'JPY')).status).toBe(503)
    expect((await requestPrices('WLD', 'USD')).status, 'the next provider has the price').toBe(200)
  })

  test('an older price never replaces a newer price', async () => {
    const now = Math.floor(Date.now() / 1_000)
    setProviderPrices({ 'worldcoin-wld': '{"usd":2}' }, now)
    await refresh()
    setProviderPrices({ 'worldcoin-wld': '{"usd":1}' }, now - 60)
    await refresh()
    expect(await amountOf('WLD', 'USD')).toBe('2000000')
  })

  test('a price whose time is in the future counts as a current price', async () => {
    setProviderPrices({ 'worldcoin-wld': '{"usd":2}' }, Math.floor(Date.now() / 1_000) + 1_000_000)
    await refresh()
    const { headers } = await requestPrices('WLD', 'USD')
    expect(Date.parse(headers.get('last-modified') ?? '')).toBeLessThanOrEqual(Date.now())
  })
})

describe('an invalid query for prices is rejected', () => {
  test.each([
    ['', 'required', 'cryptoCurrencies'],
    ['?fiatCurrencies=USD', 'required', 'cryptoCurrencies'],
    ['?cryptoCurrencies=WLD', 'required', 'fiatCurrencies'],
    ['?cryptoCurrencies=&fiatCurrencies=USD', 'required', 'cryptoCurrencies'],
    ['?cryptoCurrencies=DOGE&fiatCurrencies=USD', 'invalid_request', 'cryptoCurrencies'],
    ['?cryptoCurrencies=wld&fiatCurrencies=USD', 'invalid_request', 'cryptoCurrencies'],
    ['?cryptoCurrencies=WLD,&fiatCurrencies=USD', 'invalid_request', 'cryptoCurrencies'],
    ['?cryptoCurrencies=WLD&fiatCurrencies=XXX', 'invalid_request', 'fiatCurrencies'],
    ['?cryptoCurrencies=WLD&fiatCurrencies=__proto__', 'invalid_request', 'fiatCurrencies'],
    ['?cryptoCurrencies=constructor&fiatCurrencies=USD', 'invalid_request', 'cryptoCurrencies'],
  ])('the query "%s" for prices gets 400', async (search, code, attribute) => {
    await refresh()
    const response = await fetch(platform.baseUrl + PATH + search)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code, attribute })
  })
})

test('prices can have a separate port, which serves nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prices-'))
  const [port, pricesPort, metricsPort] = [await freePort(), await freePort(), await freePort()]
  const service = await startServerProcess({
    name: 'The developer API',
    entry: 'webhooks/server.ts',
    env: {
      ...platform.env,
      WEBHOOKS_PORT: String(port),
      PRICES_PORT: String(pricesPort),
      PRICES_URL: 'https://prices.example/',
      METRICS_PORT: String(metricsPort),
    },
    logFile: join(folder, 'log'),
    healthUrl: `http://127.0.0.1:${port}/healthz`,
    onEnd: () => {},
  })
  await refresh()
  const pricesUrl = `http://127.0.0.1:${pricesPort}`
  const search = '?cryptoCurrencies=WLD&fiatCurrencies=USD'
  for (const url of [pricesUrl, `http://127.0.0.1:${port}`])
    expect((await fetch(`${url}${PATH}${search}`)).status).toBe(200)
  expect((await fetch(`${pricesUrl}/api/v1/jwks`)).status).toBe(404)
  const description = await fetch(`http://127.0.0.1:${port}/openapi.json`)
  const { paths, servers } = Object(await description.json())
  expect(servers).toEqual([{ url: platform.baseUrl }])
  expect(paths[PATH].get.servers).toEqual([{ url: 'https://prices.example' }])
  await service.stop()
  rmSync(folder, { recursive: true })
})

test('prices get 503 before the first refresh', async () => {
  expect(await requestPrices('WLD', 'USD')).toMatchObject({
    status: 503,
    body: { code: 'unavailable' },
  })
})

test('a refresh of prices without the internal secret gets 403', async () => {
  const reply = await platform.post('/api/_prices', {})
  expect(reply).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
})
