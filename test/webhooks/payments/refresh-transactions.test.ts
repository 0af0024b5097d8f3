import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { insert, paymentOf } from '../../support/webhooks/payments.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import { altering, type RpcProxy } from '../../support/webhooks/rpc-proxy.ts'
import { type Shop, startShop } from '../../support/webhooks/start-shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.stop())
afterEach(() => shop.tidy())

describe('nothing changes, and all is made up for later, when the server', () => {
  const OTHER_HASH = `0x${'12'.repeat(32)}`
  const FAR = '0x8000000000000000'

  test.each<[string, RpcProxy['manner']]>([
    ['refuses for too many requests', { limited: { times: 1_000 } }],
    ['fails', { status: 500, text: 'secret-key' }],
    ['answers no JSON', { text: '<html>' }],
    ['answers no JSON-RPC', { text: '{"ok":true}' }],
    ['answers nothing', { text: '' }],
    ['is of another chain', { alter: altering('eth_chainId', () => '0x1') }],
    ['refuses each call', { alter: (items) => items.map(refused) }],
  ])('%s', async (_name, manner) => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    shop.proxy.manner = manner
    expect(await shop.refresh()).toMatchObject({
      unclear: 1,
      unreachable: ['local'],
    })
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
    const asked = await shop.query(id)
    expect(asked).toMatchObject({ status: 200, body: { transaction_status: 'pending' } })
    shop.proxy.reset()
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  test('is too slow', async () => {
    const hasty = await shop.platform.anotherInstance({ CHAIN_TIMEOUT_MS: '200' })
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    shop.proxy.manner = { delayMs: 5_000 }
    expect(await shop.refresh(hasty.baseUrl)).toMatchObject({ unclear: 1, unreachable: ['local'] })
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
    const asked = await shop.query(id, { on: hasty })
    expect(asked).toMatchObject({ status: 200, body: { transaction_status: 'pending' } })
    shop.proxy.reset()
    await hasty.stop()
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  test.each<[string, RpcProxy['manner']]>([
    ['leaves the receipt out', { alter: altering('eth_getTransactionReceipt', () => null) }],
    ['does not answer about the receipt', { alter: without('eth_getTransactionReceipt') }],
    [
      'tells the receipt of another transaction',
      {
        alter: altering('eth_getTransactionReceipt', (one) => ({
          ...Object(one),
          transactionHash: OTHER_HASH,
        })),
      },
    ],
    [
      'tells a receipt of a block that is not the chain’s',
      {
        alter: altering('eth_getTransactionReceipt', (one) => ({
          ...Object(one),
          blockHash: OTHER_HASH,
        })),
      },
    ],
    ['does not have the block', { alter: altering('eth_getBlockByNumber', () => null) }],
    [
      'tells another block',
      { alter: altering('eth_getBlockByNumber', (one) => ({ ...Object(one), number: '0x1' })) },
    ],
    ...['0x3afff44180', `0x${'f'.repeat(64)}`, '-0x1', '0x', 'NaN', -1, null].map(
      (timestamp): [string, RpcProxy['manner']] => [
        `tells ${timestamp} as the time of the block`,
        { alter: altering('eth_getBlockByNumber', (one) => ({ ...Object(one), timestamp })) },
      ],
    ),
    ['tells a block so high that no database counts to it', { alter: atHeight(FAR) }],
    [
      'tells a receipt without its events',
      { alter: altering('eth_getTransactionReceipt', (one) => ({ ...Object(one), logs: null })) },
    ],
  ])('%s', async (_name, manner) => {
    const before = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    await shop.refresh()
    const after = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    shop.proxy.manner = manner
    expect(await shop.refresh()).toMatchObject({ unclear: 2 })
    expect(await shop.row(before)).toMatchObject({ status: 'mined' })
    expect(await shop.row(after)).toMatchObject({ status: 'pending' })
    shop.proxy.reset()
    await shop.refresh()
    expect(await shop.row(after)).toMatchObject({ status: 'mined' })
  })

  test('tells a nonce that no database counts to', async () => {
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

  test('is behind: what it does not know yet is pending, never failed', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    const stale = altering('eth_getTransactionReceipt', () => null)
    const unknown = altering('eth_getTransactionByHash', () => null)
    shop.proxy.manner = { alter: (items, asked) => unknown(stale(items, asked), asked) }
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
  })

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
    return (answers, asked) => ofBlocks(ofReceipts(answers, asked), asked)
  }

  function refused({ id }: { id: number }) {
    return { id, method: '', error: { code: -32005, message: 'limit exceeded, secret-key' } }
  }

  function without(method: string): NonNullable<RpcProxy['manner']['alter']> {
    return (answers, asked) =>
      answers.filter(({ id }) => asked.find((call) => call.id === id)?.method !== method)
  }
})

describe('a server', () => {
  test('that refuses now and then is asked again, as late as it says', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    shop.proxy.manner = { limited: { times: 2, retryAfter: '0' } }
    expect(await shop.refresh()).toMatchObject({ mined: 1, unclear: 0 })
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  test('that answers in another order is understood', async () => {
    const ids = await shop.enterMany(12)
    await shop.mine(1)
    shop.proxy.manner = { alter: (answers) => answers.toReversed() }
    expect(await shop.refresh()).toMatchObject({ mined: 12, unclear: 0 })
    for (const id of ids) expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  test('gets no more requests at one time than are configured, and calls in batches', async () => {
    await shop.enterMany(120)
    await shop.mine(1)
    shop.proxy.reset()
    shop.proxy.manner = { delayMs: 5 }
    expect(await shop.refresh()).toMatchObject({ mined: 120 })
    expect(shop.proxy.seen.mostUnderWay).toBeLessThanOrEqual(2)
    expect(shop.proxy.seen.requests).toBeLessThan(40)
  })

  test('of another chain than it should be is not believed', async () => {
    const id = await shop.enter({ chain: 'other', transaction_hash: await shop.pay() })
    await shop.mine(1)
    expect(await shop.refresh()).toMatchObject({ unclear: 1, unreachable: ['other'] })
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
  })

  test('that is away holds up no other chain', async () => {
    const elsewhere = await shop.enter({ chain: 'away' })
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    expect(await shop.refresh()).toMatchObject({ mined: 1 })
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
    expect(await shop.row(elsewhere)).toMatchObject({ status: 'pending' })
  })

  test('that is slow is waited for by 25 callers of a team: others find room', async () => {
    const ids = await shop.enterMany(30)
    shop.proxy.manner = { delayMs: 500 }
    const replies = await Promise.all(ids.map((id) => shop.query(id)))
    for (const reply of replies) expect(reply.status).toBe(200)
    const readHashes = () => {
      const asked = shop.proxy.seen.calls.filter(
        ({ method }) => method === 'eth_getTransactionReceipt',
      )
      return new Set(asked.map(({ params }) => params[0])).size
    }
    await expect.poll(readHashes, { timeout: 10_000 }).toBeGreaterThanOrEqual(25)
    expect(readHashes()).toBe(25)
  })

  test('is never asked about a chain that is no longer configured', async () => {
    const transaction_hash = await shop.pay()
    const id = await shop.enter({ transaction_hash })
    await shop.platform.db.query("update transaction set chain = 'nowhere' where id = $1", [id])
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
    expect(await shop.query(id)).toMatchObject({ status: 200 })
    const asked = shop.proxy.seen.calls.flatMap(({ params }) => params)
    expect(asked).not.toContain(transaction_hash)
  })
})

describe('two readers on one database', () => {
  test('share the work: each transaction is looked for once', async () => {
    const other = await shop.platform.anotherInstance()
    await shop.enterMany(100)
    await shop.mine(1)
    shop.proxy.reset()
    const runs = await Promise.all([
      shop.refresh(),
      shop.refresh(other.baseUrl),
      shop.refresh(),
      shop.refresh(other.baseUrl),
    ])
    await other.stop()
    expect(runs.reduce((sum, { mined }) => sum + mined, 0)).toBe(100)
    const asked = shop.proxy.seen.calls.filter(
      ({ method }) => method === 'eth_getTransactionReceipt',
    )
    expect(new Set(asked.map(({ params }) => params[0])).size).toBe(100)
    expect(asked).toHaveLength(100)
  })

  test('what one died over is taken by the other, and what the dead one finds changes nothing', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    const [dead] = await claim()
    expect(await shop.refresh(), 'it may still be alive').toMatchObject({ mined: 0 })
    await shop.platform.db.query(
      "update transaction set claimed_at = now() - interval '46 seconds'",
    )
    expect(await shop.refresh()).toMatchObject({ mined: 1 })
    const found = {
      id,
      claims: dead?.claims,
      transaction_status: 'failed',
      failure_reason: 'reverted',
    }
    const { rowCount } = await shop.platform.db.query('select from store_sightings($1)', [
      JSON.stringify([{ ...found, from: '', is_final: true, is_known: true }]),
    ])
    expect(rowCount).toBe(0)
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  async function claim(): Promise<{ claims: number }[]> {
    return (await shop.platform.db.query("select * from claim_transactions('local', 10)")).rows
  }
})

test('many transactions of one team hold up none of another', async () => {
  const { platform } = shop
  for (let i = 0; i < 12; i++) await shop.enter({})
  await platform.db.query("update transaction set due_at = now() - interval '1 hour'")
  const other = await platform.team()
  const app = await platform.app({ team: other })
  const insertOne = () => insert(platform, other.apiKey, paymentOf(app))
  const ids = [await insertOne(), await insertOne()]
  const claimed = await platform.db.query("select id from claim_transactions('local', 6)")
  expect(claimed.rows.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
  expect(claimed.rows).toHaveLength(6)
})

test('what is old and still pending is looked for less often', async () => {
  const id = await shop.enter({})
  await shop.platform.db.query("update transaction set created_at = now() - interval '110 minutes'")
  await shop.refresh()
  expect(await shop.refresh()).toMatchObject({ pending: 0 })
  const { rows } = await shop.platform.db.query(
    'select round(extract(epoch from due_at - checked_at) / 60)::integer as wait from transaction where id = $1',
    [id],
  )
  expect(rows).toEqual([{ wait: 5 }])
})

test.each([
  ['nothing', {}],
  ['a wrong secret', { authorization: `Bearer ${INTERNAL_SECRET}0` }],
])('the chain is not read for %s', async (_name, headers) => {
  const reply = await shop.platform.post('/api/_transactions', {}, headers)
  expect(reply).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
})
