import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { insert, paymentOf } from '../../support/webhooks/payments.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import { type Shop, startShop } from '../../support/webhooks/start-shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.stop())
afterEach(() => shop.tidy())

describe('transactions are looked up on their chains', () => {
  test('a rate-limited call is retried as soon as Retry-After allows', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    shop.proxy.manner = { limited: { times: 2, retryAfter: '0' } }
    expect(await shop.refresh()).toMatchObject({ mined: 1, unclear: 0 })
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  test('responses of a batch in another order are matched by their ids', async () => {
    const ids = await shop.enterMany(12)
    await shop.mine(1)
    shop.proxy.manner = { alter: (answers) => answers.toReversed() }
    expect(await shop.refresh()).toMatchObject({ mined: 12, unclear: 0 })
    for (const id of ids) expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  test('the RPC server gets batches, and at most the configured number of requests at once', async () => {
    await shop.enterMany(120)
    await shop.mine(1)
    shop.proxy.reset()
    shop.proxy.manner = { delayMs: 5 }
    expect(await shop.refresh()).toMatchObject({ mined: 120 })
    expect(shop.proxy.traffic.mostConcurrent).toBeLessThanOrEqual(2)
    expect(shop.proxy.traffic.requests).toBeLessThan(40)
  })

  test('the responses of an RPC server with another chain id are ignored', async () => {
    const id = await shop.enter({ chain: 'other', transaction_hash: await shop.pay() })
    await shop.mine(1)
    expect(await shop.refresh()).toMatchObject({ unclear: 1, unreachable: ['other'] })
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
  })

  test('an RPC server that is down does not delay other chains', async () => {
    const otherChainId = await shop.enter({ chain: 'away' })
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    expect(await shop.refresh()).toMatchObject({ mined: 1 })
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
    expect(await shop.row(otherChainId)).toMatchObject({ status: 'pending' })
  })

  test('a slow RPC server gets at most 25 status requests of a team at once', async () => {
    const ids = await shop.enterMany(30)
    shop.proxy.manner = { delayMs: 500 }
    const replies = await Promise.all(ids.map((id) => shop.query(id)))
    for (const reply of replies) expect(reply.status).toBe(200)
    const readHashes = () => {
      const receiptCalls = shop.proxy.traffic.calls.filter(
        ({ method }) => method === 'eth_getTransactionReceipt',
      )
      return new Set(receiptCalls.map(({ params }) => params[0])).size
    }
    await expect.poll(readHashes, { timeout: 10_000 }).toBeGreaterThanOrEqual(25)
    expect(readHashes()).toBe(25)
  })

  test('a payment on a chain that is no longer configured is not looked up', async () => {
    const transaction_hash = await shop.pay()
    const id = await shop.enter({ transaction_hash })
    await shop.platform.db.query("update transaction set chain = 'nowhere' where id = $1", [id])
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
    expect(await shop.query(id)).toMatchObject({ status: 200 })
    const receiptCalls = shop.proxy.traffic.calls.flatMap(({ params }) => params)
    expect(receiptCalls).not.toContain(transaction_hash)
  })
})

describe('two instances share one database', () => {
  test('two instances look up each transaction once', async () => {
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
    const receiptCalls = shop.proxy.traffic.calls.filter(
      ({ method }) => method === 'eth_getTransactionReceipt',
    )
    expect(new Set(receiptCalls.map(({ params }) => params[0])).size).toBe(100)
    expect(receiptCalls).toHaveLength(100)
  })

  test('an instance takes over an expired lease, and the result of the dead instance is ignored', async () => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.mine(1)
    const [expiredLease] = await leaseTransactions()
    expect(await shop.refresh(), 'the lease is still valid').toMatchObject({ mined: 0 })
    await shop.platform.db.query("update transaction set leased_at = now() - interval '46 seconds'")
    expect(await shop.refresh()).toMatchObject({ mined: 1 })
    const staleResult = {
      id,
      leases: expiredLease?.leases,
      transaction_status: 'failed',
      failure_reason: 'reverted',
    }
    const { rowCount } = await shop.platform.db.query('select from store_sightings($1)', [
      JSON.stringify([{ ...staleResult, from: '', is_final: true, is_known: true }]),
    ])
    expect(rowCount).toBe(0)
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
  })

  async function leaseTransactions(): Promise<{ leases: number }[]> {
    return (await shop.platform.db.query("select * from lease_transactions('local', 10)")).rows
  }
})

test('many transactions of one team do not delay those of another team', async () => {
  const { platform } = shop
  for (let i = 0; i < 12; i++) await shop.enter({})
  await platform.db.query("update transaction set due_at = now() - interval '1 hour'")
  const other = await platform.team()
  const app = await platform.app({ team: other })
  const addPayment = () => insert(platform, other.apiKey, paymentOf(app))
  const ids = [await addPayment(), await addPayment()]
  const leases = await platform.db.query("select id from lease_transactions('local', 6)")
  expect(leases.rows.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
  expect(leases.rows).toHaveLength(6)
})

test('an old pending transaction is looked up less often', async () => {
  const id = await shop.enter({})
  await shop.platform.db.query("update transaction set entered_at = now() - interval '110 minutes'")
  await shop.refresh()
  expect(await shop.refresh()).toMatchObject({ pending: 0 })
  const { rows } = await shop.platform.db.query(
    'select round(extract(epoch from due_at - checked_at) / 60)::integer as wait from transaction where id = $1',
    [id],
  )
  expect(rows).toEqual([{ wait: 5 }])
})

test.each([
  ['no credentials', {}],
  ['a wrong secret', { authorization: `Bearer ${INTERNAL_SECRET}0` }],
])('a refresh of transactions gets 403 with %s', async (_name, headers) => {
  const reply = await shop.platform.post('/api/_transactions', {}, headers)
  expect(reply).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
})
