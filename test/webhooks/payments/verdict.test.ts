import { type Hex, parseEther } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { OWNER } from '../../../local/chain/local-chain.ts'
import {
  BUYER,
  CONFIRMATIONS,
  SHOP,
  type Shop,
  startShop,
} from '../../support/webhooks/start-shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.stop())
afterEach(() => shop.tidy())

describe('a payment is mined or fails depending on its transfer', () => {
  test('a payment is pending, then mined, then final', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    expect(await shop.refresh()).toMatchObject({ pending: 1, mined: 0, failed: 0, unclear: 0 })
    expect(await shop.row(id)).toMatchObject({ status: 'pending', from: BUYER.toLowerCase() })
    await shop.mine(1)
    expect(await shop.refresh()).toMatchObject({ pending: 0, mined: 1 })
    expect(await shop.row(id)).toMatchObject({ status: 'mined', reason: null, is_final: false })
    await shop.mine(CONFIRMATIONS - 1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined', is_final: true })
    shop.proxy.reset()
    expect(await shop.refresh()).toMatchObject({ mined: 0 })
    expect(shop.proxy.traffic.calls).toEqual([])
  })

  test('a payment has the sender and the time of its block, and keeps the time at which it was added', async () => {
    const hash = await shop.pay()
    const id = await shop.enter({ transaction_hash: hash })
    const firstReply = Object((await shop.query(id)).body)
    expect(firstReply).toMatchObject({ block_timestamp: '' })
    await shop.mine(1)
    await shop.refresh()
    const { blockNumber, from } = await shop.chain.getTransactionReceipt({ hash })
    const { timestamp } = await shop.chain.getBlock({ blockNumber })
    const { body } = await shop.query(id)
    expect(body).toMatchObject({ from: from.toLowerCase(), to: SHOP, token_amount: '1000000' })
    expect(Date.parse(Object(body).block_timestamp)).toBe(Number(timestamp) * 1_000)
    expect(Object(body).timestamp).toBe(firstReply.timestamp)
  })

  test('a status request reads the payment from the chain', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    const requestStatus = async () => Object((await shop.query(id)).body)
    // The caller waits at most two seconds for the chain, and then gets the stored status.
    const expectedReply = (status: string) => ({
      transaction_status: status,
      from: BUYER.toLowerCase(),
    })
    await expect.poll(requestStatus).toMatchObject(expectedReply('pending'))
    await shop.mine(1)
    await expect.poll(requestStatus).toMatchObject(expectedReply('mined'))
    await shop.mine(CONFIRMATIONS)
    await requestStatus()
    await expect.poll(() => shop.row(id)).toMatchObject({ is_final: true })
    shop.proxy.reset()
    expect(await requestStatus()).toMatchObject({ transaction_status: 'mined' })
    expect(shop.proxy.traffic.calls, 'a final payment is not read again').toEqual([])
  })

  test.each([
    ['of the exact amount is mined', { token_amount: '1000000' }, 'mined', null],
    ['of more than the amount is mined', { token_amount: '999999' }, 'mined', null],
    ['of less than the amount fails', { token_amount: '1000001' }, 'failed', 'no_such_transfer'],
    ['far too small fails', { token_amount: '9'.repeat(72) }, 'failed', 'no_such_transfer'],
    ['to another receiver fails', { to: BUYER }, 'failed', 'no_such_transfer'],
    ['to the owner of the token fails', { to: OWNER }, 'failed', 'no_such_transfer'],
    ['to the same address in lower case is mined', { to: SHOP.toLowerCase() }, 'mined', null],
    ['in another token fails', { token: 'WLD', token_amount: '1' }, 'failed', 'no_such_transfer'],
    // 1,000,000 units of CENTS, which has two decimals, are 10,000 CENTS.
    ['in CENTS is mined', { token: 'CENTS', token_amount: '10000000000' }, 'mined', null],
    [
      'too small in CENTS fails',
      { token: 'CENTS', token_amount: '10000000001' },
      'failed',
      'no_such_transfer',
    ],
  ])('a payment %s', async (_name, fields, status, reason) => {
    const id = await shop.enter({ transaction_hash: await shop.pay(), ...fields })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status, reason })
  })

  test.each([
    [1_500_000_000_000_000_000n, 'mined'],
    [1_499_999_999_999_999_999n, 'failed'],
  ])('a transfer of %i units for 1.5 tokens has the status %s', async (units, status) => {
    const transaction_hash = await shop.pay({ token: shop.tokens.wld, units })
    const id = await shop.enter({ transaction_hash, token: 'WLD', token_amount: '1500000' })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status })
  })

  test('a payment fails if its transaction reverts', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay({ units: 10n ** 18n }) })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'failed', reason: 'reverted' })
  })

  test("a payment in a token fails if the transaction transfers the chain's native coin", async () => {
    const transaction_hash = await shop.chain.sendTransaction({
      account: BUYER,
      to: SHOP,
      value: parseEther('1'),
      chain: null,
    })
    const id = await shop.enter({ transaction_hash })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'failed', reason: 'no_such_transfer' })
  })

  test('a payment fails if a counterfeit token emits the same event', async () => {
    const transaction_hash = await shop.pay({ token: shop.tokens.wld, units: 10n ** 20n })
    const id = await shop.enter({ transaction_hash })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'failed', reason: 'no_such_transfer' })
  })
})

describe('a transaction that is not a payment is judged by its receipt', () => {
  test.each([
    ['succeeds is mined', 1n, 'mined', null],
    ['reverts fails', 10n ** 18n, 'failed', 'reverted'],
  ])('a transaction that %s', async (_name, units, status, reason) => {
    const transaction_hash = await shop.pay({ units })
    const id = await shop.enter({ ...OTHER, transaction_hash })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status, reason })
  })

  test('a transaction has the sender and the receiver from the chain, even while it is pending', async () => {
    const id = await shop.enter({ ...OTHER, transaction_hash: await shop.pay() })
    const parties = { from: BUYER.toLowerCase(), to: shop.tokens.usdce.toLowerCase() }
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending', ...parties })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined', ...parties })
    const { body } = await shop.query(id, { type: 'transaction' })
    expect(body).toMatchObject({ transaction_status: 'mined', ...parties })
  })

  test('a transaction that creates a contract has no receiver', async () => {
    const id = await shop.enter({
      ...OTHER,
      transaction_hash: await shop.send({ data: '0x6001600c60003960016000f300' }),
    })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined', to: '' })
  })
})

/** The fields of a transaction that is not a payment. */
const OTHER = { type: 'transaction', token: '', token_amount: '', to: '' }

describe('a payment follows a reorganization of the chain', () => {
  test('a mined payment is pending again after a reorganization, and can be mined again', async () => {
    const hash = await shop.pay()
    const id = await shop.enter({ transaction_hash: hash })
    await shop.mine(1)
    await shop.refresh()
    const rawTransaction = await shop.chain.request({
      method: 'eth_getRawTransactionByHash',
      params: [hash],
    } as never)
    await shop.rpc('anvil_reorg', 1, [])
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending', block_number: null })
    await shop.chain.sendRawTransaction({ serializedTransaction: rawTransaction as Hex })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  test('a mined payment is pending again after a rollback of the chain', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    await shop.refresh()
    await shop.rpc('anvil_rollback', 1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
    expect(Object((await shop.query(id)).body).transaction_status).toBe('pending')
  })

  test('a failed payment is pending again after a reorganization', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay({ units: 10n ** 18n }) })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'failed', reason: 'reverted' })
    await shop.rpc('anvil_reorg', 1, [])
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending', reason: null })
  })

  test('a final payment stays mined, however deep the reorganization', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(CONFIRMATIONS)
    await shop.refresh()
    await shop.rpc('anvil_rollback', CONFIRMATIONS)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined', is_final: true })
  })
})

describe('a transaction that is never mined fails in the end', () => {
  test('a transaction fails as replaced once another transaction with its nonce has enough confirmations', async () => {
    const nonce = await shop.chain.getTransactionCount({ address: BUYER })
    const id = await shop.enter({ transaction_hash: await shop.pay({ nonce }) })
    await shop.refresh()
    await shop.pay({ nonce, units: 2n, maxFeePerGas: 100_000_000_000n })
    await shop.mine(CONFIRMATIONS - 1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({
      status: 'failed',
      reason: 'replaced',
      is_final: false,
    })
    await shop.mine(CONFIRMATIONS)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({
      status: 'failed',
      reason: 'replaced',
      is_final: true,
    })
  })

  test('a mined transaction fails as replaced if a reorganization removes it and another transaction with its nonce is mined', async () => {
    const nonce = await shop.chain.getTransactionCount({ address: BUYER })
    const id = await shop.enter({ transaction_hash: await shop.pay({ nonce }) })
    await shop.mine(1)
    await shop.refresh()
    await shop.rpc('anvil_rollback', 1)
    await shop.pay({ nonce, units: 2n })
    await shop.mine(CONFIRMATIONS)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'failed', reason: 'replaced' })
  })

  test('a dropped transaction stays pending for a day, because it may be sent again', async () => {
    const hash = await shop.pay()
    const id = await shop.enter({ transaction_hash: hash })
    await shop.refresh()
    await shop.chain.dropTransaction({ hash })
    await shop.passTime(86_000)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
    await shop.passTime(1_000)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({
      status: 'failed',
      reason: 'dropped',
      is_final: true,
    })
  })

  test('a transaction that was never sent fails after a day', async () => {
    const id = await shop.enter({})
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
    await shop.passTime(87_000)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'failed', reason: 'not_found' })
  })

  test('a transaction stays pending while only the clock of the chain is a day ahead', async () => {
    await shop.passTime(87_000)
    shop.platform.clock.aheadMs = 0
    const id = await shop.enter({})
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
  })

  test('a transaction stays pending as long as it waits in the mempool', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    shop.platform.clock.aheadMs = 87_000_000
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
  })
})
