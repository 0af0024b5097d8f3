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

/** Adds a row, mines a block, and returns the row. */
async function addAndMine(fields: object) {
  const id = await shop.enter(fields)
  await shop.mine(1)
  await shop.refresh()
  return shop.row(id)
}

describe('a payment fails if another sender than the expected sender paid it', () => {
  test.each([
    ['with its checksum', BUYER],
    ['in lower case', BUYER.toLowerCase()],
  ])(
    'a payment is mined if the expected sender, written %s, paid it',
    async (_name, expected_from) => {
      const row = await addAndMine({ transaction_hash: await shop.pay(), expected_from })
      expect(row).toMatchObject({ status: 'mined', reason: null, from: BUYER.toLowerCase() })
    },
  )

  test.each([
    ['from another sender than expected fails', STRANGER, BUYER, 'failed', 'wrong_sender'],
    ['without an expected sender is mined', STRANGER, null, 'mined', null],
  ] as const)('a payment %s', async (_name, account, expected_from, status, reason) => {
    const transaction_hash = await shop.pay({ account })
    const row = await addAndMine({ transaction_hash, expected_from })
    expect(row).toMatchObject({ status, reason, from: account.toLowerCase() })
  })

  test('the sender of a payment is the owner of the tokens, not the sender of the transaction', async () => {
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

  test('a payment is pending again if its block is removed', async () => {
    const transaction_hash = await shop.payThrough(STRANGER)
    const id = await shop.enter({ transaction_hash, expected_from: BUYER })
    await shop.mine(1)
    await shop.refresh()
    await shop.rpc('anvil_rollback', 1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
  })
})

test('the sender of a transaction that is not a payment is the account that sent it', async () => {
  for (const [expected_from, status, reason] of [
    [BUYER, 'mined', null],
    [STRANGER, 'failed', 'wrong_sender'],
  ]) {
    const row = await addAndMine({ ...OTHER, transaction_hash: await shop.pay(), expected_from })
    expect(row).toMatchObject({ status, reason })
  }
})

describe('a payment fails if it was mined before its earliest time', () => {
  test.each([
    ['in the earliest second is mined', 0, 'mined', null],
    ['in a block 0.9 seconds too early is mined', 900, 'mined', null],
    ['in a block a second too early fails', 1_000, 'failed', 'too_early'],
    ['in a block a second later is mined', -1_000, 'mined', null],
  ])('a payment %s', async (_name, laterMs, status, reason) => {
    const transaction_hash = await shop.pay()
    await shop.mine(1)
    const { timestamp } = await shop.chain.getBlock()
    const not_before = new Date(Number(timestamp) * 1_000 + laterMs).toISOString()
    const id = await shop.enter({ transaction_hash, not_before })
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status, reason })
  })

  test('a payment is mined if its earliest time is in another time zone', async () => {
    const row = await addAndMine({
      transaction_hash: await shop.pay(),
      not_before: '2020-01-01T00:00:00-11:00',
    })
    expect(row).toMatchObject({ status: 'mined' })
  })
})

test.each([
  ['an empty sender', { expected_from: '' }, 'permission-error'],
  ['a name as the sender', { expected_from: 'alice.eth' }, 'permission-error'],
  ['half an address as the sender', { expected_from: '0x1234' }, 'permission-error'],
  ['an earliest time before 1970', { not_before: '1969-12-31T23:59:59Z' }, 'permission-error'],
  ['infinity as the earliest time', { not_before: 'infinity' }, 'permission-error'],
  ['-infinity as the earliest time', { not_before: '-infinity' }, 'permission-error'],
  [
    'an earliest time in the year 10000',
    { not_before: '10000-01-01T00:00:00Z' },
    'permission-error',
  ],
  ['a word as the earliest time', { not_before: 'soon' }, 'data-exception'],
])('a payment with %s is rejected', async (_name, fields, code) => {
  const row = { ...paymentOf(shop.app), to: SHOP, ...fields }
  const rejection = await insert.raw(shop.platform, shop.team.apiKey, row)
  expect(rejection).toMatchObject({ errors: [{ extensions: { code } }] })
})
