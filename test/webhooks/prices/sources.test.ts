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

describe('the last good price is kept when the provider', () => {
  test.each([
    ['fails', { status: 500 }],
    ['refuses', { status: 429 }],
    ['is too slow', { delayMs: 4_000 }],
    ['answers no JSON', { text: '<html>' }],
    ['answers a list', { text: '[]' }],
    ['answers nothing', { text: '{}' }],
    ['says that it is nothing', { text: '{"worldcoin-wld":{"jpy":0}}' }],
    ['says null', { text: '{"worldcoin-wld":{"jpy":null}}' }],
    ['says less than nothing', { text: '{"worldcoin-wld":{"jpy":-1}}' }],
    ['says a text', { text: '{"worldcoin-wld":{"jpy":"a"}}' }],
    ['says when in words', { text: '{"worldcoin-wld":{"jpy":1,"last_updated_at":"now"}}' }],
  ])('%s', async (_name, manner) => {
    await refresh()
    const before = await amountOf('WLD', 'JPY')
    Object.assign(provider, manner)
    expect((await refresh()).missing).toContain('WLD/JPY')
    expect(await amountOf('WLD', 'JPY')).toBe(before)
  })
})

describe('the feeds on the chain', () => {
  beforeEach(() => {
    provider.status = 500
  })

  test('are asked for what the provider does not have; what is in dollars only is crossed', async () => {
    expect(await refresh()).toMatchObject({ refreshed: 4, missing: ['WLD/JPY', 'USDCE/JPY'] })
    expect(await amountOf('WLD', 'USD')).toBe('930000')
    // 0.93 ÷ 1.16, and 0.9998 ÷ 1.16.
    expect(await amountOf('WLD', 'EUR')).toBe('801724')
    expect(await amountOf('USDCE', 'EUR')).toBe('861897')
  })

  test('tell their latest answer', async () => {
    await setPrice({ rpcUrl: anvil.rpcUrl, feed: feeds['WLD/USD'], answer: 123_456_789n })
    await refresh()
    expect(await amountOf('WLD', 'USD')).toBe('1234568')
  })

  test.each([0n, -1n])('that say %i are not believed', async (answer) => {
    await setPrice({ rpcUrl: anvil.rpcUrl, feed: feeds['WLD/USD'], answer })
    expect((await refresh()).missing).toContain('WLD/USD')
    await setPrice({ rpcUrl: anvil.rpcUrl, feed: feeds['WLD/USD'], answer: 93_000_000n })
  })

  test('that have been silent for longer than their heartbeat are not believed', async () => {
    platform.clock.aheadMs = 86_000_000
    expect((await refresh()).missing).not.toContain('WLD/USD')
    platform.clock.aheadMs = 87_000_000
    expect(await refresh()).toMatchObject({ refreshed: 0 })
  })
})
