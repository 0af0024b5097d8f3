import { beforeEach, describe, expect, test } from 'vitest'
import {
  amountOf,
  anvil,
  feeds,
  platform,
  provider,
  refresh,
  setTheScene,
} from '../../support/webhooks/prices/price-scene.ts'
import { setPrice } from '../../support/webhooks/prices/set-price.ts'

setTheScene()

describe('the last good price is kept while the provider fails', () => {
  test.each([
    ['returns 500', { status: 500 }],
    ['returns 429', { status: 429 }],
    ['is too slow', { delayMs: 4_000 }],
    ['returns HTML', { text: '<html>' }],
    ['returns a list', { text: '[]' }],
    ['returns no prices', { text: '{}' }],
    ['returns zero', { text: '{"worldcoin-wld":{"jpy":0}}' }],
    ['returns null', { text: '{"worldcoin-wld":{"jpy":null}}' }],
    ['returns a negative price', { text: '{"worldcoin-wld":{"jpy":-1}}' }],
    ['returns a text', { text: '{"worldcoin-wld":{"jpy":"a"}}' }],
    ['returns a word as the time', { text: '{"worldcoin-wld":{"jpy":1,"last_updated_at":"now"}}' }],
  ])('the last good price is kept if the provider %s', async (_name, manner) => {
    await refresh()
    const oldAmount = await amountOf('WLD', 'JPY')
    Object.assign(provider, manner)
    expect((await refresh()).missing).toContain('WLD/JPY')
    expect(await amountOf('WLD', 'JPY')).toBe(oldAmount)
  })
})

describe('prices come from the feeds on the chain if the provider fails', () => {
  beforeEach(() => {
    provider.status = 500
  })

  test('the feeds have the prices that the provider lacks, and euro prices are converted from dollars', async () => {
    expect(await refresh()).toMatchObject({ refreshed: 4, missing: ['WLD/JPY', 'USDCE/JPY'] })
    expect(await amountOf('WLD', 'USD')).toBe('930000')
    // 0.93 ÷ 1.16, and 0.9998 ÷ 1.16.
    expect(await amountOf('WLD', 'EUR')).toBe('801724')
    expect(await amountOf('USDCE', 'EUR')).toBe('861897')
  })

  test('a feed returns its latest price', async () => {
    await setPrice({ rpcUrl: anvil.rpcUrl, feed: feeds['WLD/USD'], answer: 123_456_789n })
    await refresh()
    expect(await amountOf('WLD', 'USD')).toBe('1234568')
  })

  test.each([0n, -1n])('a feed with the price %i is ignored', async (answer) => {
    await setPrice({ rpcUrl: anvil.rpcUrl, feed: feeds['WLD/USD'], answer })
    expect((await refresh()).missing).toContain('WLD/USD')
    await setPrice({ rpcUrl: anvil.rpcUrl, feed: feeds['WLD/USD'], answer: 93_000_000n })
  })

  test('a feed that has been silent for longer than its heartbeat is ignored', async () => {
    platform.clock.aheadMs = 86_000_000
    expect((await refresh()).missing).not.toContain('WLD/USD')
    platform.clock.aheadMs = 87_000_000
    expect(await refresh()).toMatchObject({ refreshed: 0 })
  })
})
