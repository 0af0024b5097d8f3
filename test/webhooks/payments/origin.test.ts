import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { insert, paymentOf } from '../../support/webhooks/payments.ts'
import { BUYER, SHOP, type Shop, STRANGER, startShop } from '../../support/webhooks/start-shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.stop())
afterEach(() => shop.tidy())

const OTHER = { type: 'transaction', token: '', token_amount: '', to: '' }

/** What becomes of a row, once the chain has what is sent. */
async function settle(fields: object) {
  const id = await shop.enter(fields)
  await shop.mine(1)
  await shop.refresh()
  return shop.row(id)
}

describe('a payment from an expected sender', () => {
  test.each([
    ['in the spelling of a wallet', BUYER],
    ['in lower case', BUYER.toLowerCase()],
  ])('is mined, %s', async (_name, expected_from) => {
    const row = await settle({ transaction_hash: await shop.pay(), expected_from })
    expect(row).toMatchObject({ status: 'mined', reason: null, from: BUYER.toLowerCase() })
  })

  test.each([
    ['that somebody else made', STRANGER, BUYER, 'failed', 'wrong_sender'],
    ['that nobody in particular was to make', STRANGER, null, 'mined', null],
  ] as const)('%s', async (_name, account, expected_from, status, reason) => {
    const transaction_hash = await shop.pay({ account })
    const row = await settle({ transaction_hash, expected_from })
    expect(row).toMatchObject({ status, reason, from: account.toLowerCase() })
  })

  test('is that of whose tokens they were, whoever sent the transaction', async () => {
    const transaction_hash = await shop.payThrough(STRANGER)
    const ids = await Promise.all(
      [BUYER, STRANGER].map((expected_from) => shop.enter({ transaction_hash, expected_from })),
    )
    await shop.mine(1)
    await shop.refresh()
    const rows = await Promise.all(ids.map((id) => shop.row(id)))
    const from = BUYER.toLowerCase()
    expect(rows).toMatchObject([
      { status: 'mined', from },
      { status: 'failed', reason: 'wrong_sender', from },
    ])
  })

  test('is pending again, and mined again, when its block goes away', async () => {
    const transaction_hash = await shop.payThrough(STRANGER)
    const id = await shop.enter({ transaction_hash, expected_from: BUYER })
    await shop.mine(1)
    await shop.refresh()
    await shop.rpc('anvil_rollback', 1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
  })
})

test('another transaction is that of whoever sent it', async () => {
  for (const [expected_from, status, reason] of [
    [BUYER, 'mined', null],
    [STRANGER, 'failed', 'wrong_sender'],
  ]) {
    const row = await settle({ ...OTHER, transaction_hash: await shop.pay(), expected_from })
    expect(row).toMatchObject({ status, reason })
  }
})

describe('a payment in a block', () => {
  test.each([
    ['of the earliest second', 0, 'mined', null],
    ['of a fraction of a second before', 900, 'mined', null],
    ['of a second before', 1_000, 'failed', 'too_early'],
    ['of a second after', -1_000, 'mined', null],
  ])('%s', async (_name, laterMs, status, reason) => {
    const transaction_hash = await shop.pay()
    await shop.mine(1)
    const { timestamp } = await shop.chain.getBlock()
    const not_before = new Date(Number(timestamp) * 1_000 + laterMs).toISOString()
    const id = await shop.enter({ transaction_hash, not_before })
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status, reason })
  })

  test('is never too early in another zone', async () => {
    const row = await settle({
      transaction_hash: await shop.pay(),
      not_before: '2020-01-01T00:00:00-11:00',
    })
    expect(row).toMatchObject({ status: 'mined' })
  })
})

test.each([
  ['nobody', { expected_from: '' }, 'permission-error'],
  ['a name', { expected_from: 'alice.eth' }, 'permission-error'],
  ['half an address', { expected_from: '0x1234' }, 'permission-error'],
  ['a time before all chains', { not_before: '1969-12-31T23:59:59Z' }, 'permission-error'],
  ['the end of time', { not_before: 'infinity' }, 'permission-error'],
  ['the beginning of time', { not_before: '-infinity' }, 'permission-error'],
  ['a year that no clock shows', { not_before: '10000-01-01T00:00:00Z' }, 'permission-error'],
  ['no time at all', { not_before: 'soon' }, 'data-exception'],
])('%s is refused', async (_name, fields, code) => {
  const row = { ...paymentOf(shop.app), to: SHOP, ...fields }
  const refused = await insert.raw(shop.platform, shop.team.apiKey, row)
  expect(refused).toMatchObject({ errors: [{ extensions: { code } }] })
})
