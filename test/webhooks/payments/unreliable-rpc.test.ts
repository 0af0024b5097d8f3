import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { altering, type RpcProxy } from '../../support/webhooks/rpc-proxy.ts'
import { type Shop, startShop } from '../../support/webhooks/start-shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.stop())
afterEach(() => shop.tidy())

describe('a payment keeps its status while the RPC server is unreliable, and is updated later', () => {
  const OTHER_HASH = `0x${'12'.repeat(32)}`
  const FAR = '0x8000000000000000'

  test.each<[string, RpcProxy['manner']]>([
    ['limits the rate', { limited: { times: 1_000 } }],
    ['returns 500', { status: 500, text: 'secret-key' }],
    ['returns HTML', { text: '<html>' }],
    ['returns JSON that is not JSON-RPC', { text: '{"ok":true}' }],
    ['returns an empty body', { text: '' }],
    ['serves another chain', { alter: altering('eth_chainId', () => '0x1') }],
    ['rejects each call', { alter: (items) => items.map(rejectCall) }],
  ])('a payment stays pending while the RPC server %s', async (_name, manner) => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    shop.proxy.manner = manner
    expect(await shop.refresh()).toMatchObject({
      unclear: 1,
      unreachable: ['local'],
    })
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
    const reply = await shop.query(id)
    expect(reply).toMatchObject({ status: 200, body: { transaction_status: 'pending' } })
    shop.proxy.reset()
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  test('a payment stays pending while the RPC server is too slow', async () => {
    const hastyInstance = await shop.platform.anotherInstance({ CHAIN_TIMEOUT_MS: '200' })
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    shop.proxy.manner = { delayMs: 5_000 }
    expect(await shop.refresh(hastyInstance.baseUrl)).toMatchObject({
      unclear: 1,
      unreachable: ['local'],
    })
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
    const reply = await shop.query(id, { on: hastyInstance })
    expect(reply).toMatchObject({ status: 200, body: { transaction_status: 'pending' } })
    shop.proxy.reset()
    await hastyInstance.stop()
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  test.each<[string, RpcProxy['manner']]>([
    ['returns null as the receipt', { alter: altering('eth_getTransactionReceipt', () => null) }],
    ['leaves out the response for the receipt', { alter: without('eth_getTransactionReceipt') }],
    [
      'returns the receipt of another transaction',
      {
        alter: altering('eth_getTransactionReceipt', (one) => ({
          ...Object(one),
          transactionHash: OTHER_HASH,
        })),
      },
    ],
    [
      'returns a receipt with the hash of another block',
      {
        alter: altering('eth_getTransactionReceipt', (one) => ({
          ...Object(one),
          blockHash: OTHER_HASH,
        })),
      },
    ],
    ['does not have the block', { alter: altering('eth_getBlockByNumber', () => null) }],
    [
      'returns another block',
      { alter: altering('eth_getBlockByNumber', (one) => ({ ...Object(one), number: '0x1' })) },
    ],
    ...['0x3afff44180', `0x${'f'.repeat(64)}`, '-0x1', '0x', 'NaN', -1, null].map(
      (timestamp): [string, RpcProxy['manner']] => [
        `returns ${timestamp} as the time of the block`,
        { alter: altering('eth_getBlockByNumber', (one) => ({ ...Object(one), timestamp })) },
      ],
    ),
    ['returns a block number above the bigint of the database', { alter: atHeight(FAR) }],
    [
      'returns a receipt without its events',
      { alter: altering('eth_getTransactionReceipt', (one) => ({ ...Object(one), logs: null })) },
    ],
  ])('payments keep their status while the RPC server %s', async (_name, manner) => {
    const minedId = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    await shop.refresh()
    const pendingId = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    shop.proxy.manner = manner
    expect(await shop.refresh()).toMatchObject({ unclear: 2 })
    expect(await shop.row(minedId)).toMatchObject({ status: 'mined' })
    expect(await shop.row(pendingId)).toMatchObject({ status: 'pending' })
    shop.proxy.reset()
    await shop.refresh()
    expect(await shop.row(pendingId)).toMatchObject({ status: 'mined' })
  })

  test("payments keep their status while the RPC server returns a nonce too large for the database's bigint", async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    const other = await shop.enter({ transaction_hash: `0x${'ab'.repeat(32)}` })
    await shop.mine(1)
    shop.proxy.manner = {
      alter: altering('eth_getTransactionByHash', (one) => one && { ...Object(one), nonce: FAR }),
    }
    expect(await shop.refresh()).toMatchObject({ unclear: 1, pending: 2 })
    expect(await shop.row(other)).toMatchObject({ status: 'pending' })
    shop.proxy.reset()
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  test('a payment that the RPC server does not know yet stays pending', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    const withoutReceipt = altering('eth_getTransactionReceipt', () => null)
    const withoutTransaction = altering('eth_getTransactionByHash', () => null)
    shop.proxy.manner = {
      alter: (items, calls) => withoutTransaction(withoutReceipt(items, calls), calls),
    }
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
  })

  test('a payment stays pending while the RPC server is still catching up a day later', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.refresh()
    await shop.mine(1)
    await shop.platform.db.query(
      `update transaction
      set entered_at = now() - interval '25 hours', seen_at = now() - interval '25 hours'
      where id = $1`,
      [id],
    )
    shop.proxy.manner = { alter: behindSince(Date.now() - 26 * 3_600_000) }
    expect(await shop.refresh()).toMatchObject({ pending: 1, failed: 0 })
    expect(await shop.row(id)).toMatchObject({ status: 'pending', is_final: false })
    shop.proxy.reset()
    // Sends a status request, because the schedule rarely looks up such an old payment.
    await shop.query(id)
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  /** Alters responses to those of a server that knows no block or transaction after `then`. */
  function behindSince(then: number): NonNullable<RpcProxy['manner']['alter']> {
    const timestamp = `0x${Math.floor(then / 1_000).toString(16)}`
    const ofReceipts = altering('eth_getTransactionReceipt', () => null)
    const ofTransactions = altering('eth_getTransactionByHash', () => null)
    const ofBlocks = altering('eth_getBlockByNumber', (one) => ({ ...Object(one), timestamp }))
    return (answers, calls) => ofBlocks(ofTransactions(ofReceipts(answers, calls), calls), calls)
  }

  function atHeight(height: string): NonNullable<RpcProxy['manner']['alter']> {
    const ofReceipts = altering('eth_getTransactionReceipt', (one) => ({
      ...Object(one),
      blockNumber: height,
      blockHash: OTHER_HASH,
    }))
    const ofBlocks = altering('eth_getBlockByNumber', () => ({
      number: height,
      hash: OTHER_HASH,
      timestamp: '0x1',
    }))
    return (answers, calls) => ofBlocks(ofReceipts(answers, calls), calls)
  }

  function rejectCall({ id }: { id: number }) {
    return { id, method: '', error: { code: -32005, message: 'limit exceeded, secret-key' } }
  }

  function without(method: string): NonNullable<RpcProxy['manner']['alter']> {
    return (answers, calls) =>
      answers.filter(({ id }) => calls.find((call) => call.id === id)?.method !== method)
  }
})
