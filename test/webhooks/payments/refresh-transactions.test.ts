import { encodeFunctionData, getAddress, type Hex, parseEther } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { abi } from '../../../chain/abi.ts'
import { type Anvil, startAnvil } from '../../../chain/anvil.ts'
import { type Addresses, deploy } from '../../../chain/deploy.ts'
import { CHAIN_ID, type LocalChain, localChain, OWNER } from '../../../chain/local-chain.ts'
import { freePort } from '../../../platform/free-ports.ts'
import { INTERNAL_SECRET, startTestPlatform, type TestPlatform } from '../start-platform.ts'
import { insert, paymentOf, query } from './payments.ts'
import { altering, type RpcProxy, startRpcProxy } from './rpc-proxy.ts'

const CONFIRMATIONS = 3
const SHOP: Hex = getAddress('0x00000000000000000000000000000000000000aa')
/** An account of anvil's, which signs for it. */
const BUYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let anvil: Anvil
let chain: LocalChain
let tokens: Addresses['tokens']
let proxy: RpcProxy
let platform: TestPlatform
let key: string
let app: string

beforeAll(async () => {
  anvil = await startAnvil({ port: await freePort() })
  chain = await localChain(anvil.rpcUrl)
  tokens = (await deploy(anvil.rpcUrl)).tokens
  await call(tokens.usdce, 'mint', BUYER, 10n ** 12n)
  await call(tokens.wld, 'mint', BUYER, 10n ** 24n)
  await chain.setAutomine(false)
  proxy = await startRpcProxy(anvil.rpcUrl)
  const local = {
    rpc_url: proxy.url,
    chain_id: CHAIN_ID,
    confirmations: CONFIRMATIONS,
    tokens: {
      USDCE: { address: tokens.usdce, decimals: 6 },
      WLD: { address: tokens.wld, decimals: 18 },
      CENTS: { address: tokens.usdce, decimals: 2 },
    },
  }
  platform = await startTestPlatform({
    VERIFIER_THREADS: '1',
    PAYMENT_CHAINS: JSON.stringify({
      local,
      other: { ...local, chain_id: 1 },
      away: { ...local, rpc_url: 'http://127.0.0.1:9' },
    }),
    CHAIN_TIMEOUT_MS: '400',
    CHAIN_BATCH_SIZE: '10',
    CHAIN_CONCURRENCY: '2',
    TRANSACTION_MAX_AGE_SECONDS: '0',
  })
  const team = await platform.team()
  key = team.apiKey
  app = await platform.app({ team })
})
afterAll(async () => {
  await platform.stop()
  await proxy.stop()
  await anvil.stop()
})
afterEach(async () => {
  proxy.reset()
  platform.clock.aheadMs = 0
  await platform.db.query('delete from transaction')
  await mine(1)
})

describe('a payment', () => {
  test('is pending, then mined, then final', async () => {
    const id = await enter({ transaction_hash: await pay() })
    expect(await refresh()).toMatchObject({ pending: 1, mined: 0, failed: 0, unclear: 0 })
    expect(await row(id)).toMatchObject({ status: 'pending', from: BUYER.toLowerCase() })
    await mine(1)
    expect(await refresh()).toMatchObject({ pending: 0, mined: 1 })
    expect(await row(id)).toMatchObject({ status: 'mined', reason: null, is_final: false })
    await mine(CONFIRMATIONS - 1)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'mined', is_final: true })
    proxy.reset()
    expect(await refresh()).toMatchObject({ mined: 0 })
    expect(proxy.seen.calls).toEqual([])
  })

  test('has the sender and the time that the chain tells', async () => {
    const hash = await pay()
    const id = await enter({ transaction_hash: hash })
    await mine(1)
    await refresh()
    const { blockNumber, from } = await chain.getTransactionReceipt({ hash })
    const { timestamp } = await chain.getBlock({ blockNumber })
    const { body } = await query(platform, { id, app, key })
    expect(body).toMatchObject({ from: from.toLowerCase(), to: SHOP, token_amount: '1000000' })
    expect(Date.parse(Object(body).timestamp)).toBe(Number(timestamp) * 1_000)
  })

  test('is read from the chain when somebody asks', async () => {
    const id = await enter({ transaction_hash: await pay() })
    const ask = async () => Object((await query(platform, { id, app, key })).body)
    expect(await ask()).toMatchObject({ transaction_status: 'pending', from: BUYER.toLowerCase() })
    await mine(1)
    expect(await ask()).toMatchObject({ transaction_status: 'mined' })
    await mine(CONFIRMATIONS)
    await ask()
    proxy.reset()
    expect(await ask()).toMatchObject({ transaction_status: 'mined' })
    expect(proxy.seen.calls, 'what is final is never read again').toEqual([])
  })

  test.each([
    ['of the amount', { token_amount: '1000000' }, 'mined', null],
    ['of more', { token_amount: '999999' }, 'mined', null],
    ['of less', { token_amount: '1000001' }, 'failed', 'no_such_transfer'],
    ['of much less', { token_amount: '9'.repeat(72) }, 'failed', 'no_such_transfer'],
    ['to somebody else', { to: BUYER }, 'failed', 'no_such_transfer'],
    ['to the sender’s own', { to: OWNER }, 'failed', 'no_such_transfer'],
    ['to the same address, in lower case', { to: SHOP.toLowerCase() }, 'mined', null],
    ['in another token', { token: 'WLD', token_amount: '1' }, 'failed', 'no_such_transfer'],
    ['in a token that nobody knows', { token: 'DOGE' }, 'failed', 'unknown_token'],
    ['in an object’s own token', { token: 'CONSTRUCTOR' }, 'failed', 'unknown_token'],
    // 1,000,000 units of a token of two decimals are 10,000 of it.
    ['in a token of two decimals', { token: 'CENTS', token_amount: '10000000000' }, 'mined', null],
    [
      'of less, in a token of two decimals',
      { token: 'CENTS', token_amount: '10000000001' },
      'failed',
      'no_such_transfer',
    ],
  ])('%s', async (_name, fields, status, reason) => {
    const id = await enter({ transaction_hash: await pay(), ...fields })
    await mine(1)
    await refresh()
    expect(await row(id)).toMatchObject({ status, reason })
  })

  test.each([
    [1_500_000_000_000_000_000n, 'mined'],
    [1_499_999_999_999_999_999n, 'failed'],
  ])('of %i units of a token of 18 decimals is 1.5 of it: %s', async (units, status) => {
    const transaction_hash = await pay({ token: tokens.wld, units })
    const id = await enter({ transaction_hash, token: 'WLD', token_amount: '1500000' })
    await mine(1)
    await refresh()
    expect(await row(id)).toMatchObject({ status })
  })

  test('that reverts has failed', async () => {
    const id = await enter({ transaction_hash: await pay({ units: 10n ** 18n }) })
    await mine(1)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'failed', reason: 'reverted' })
  })

  test('in the chain’s own coin is none in a token', async () => {
    const transaction_hash = await chain.sendTransaction({
      account: BUYER,
      to: SHOP,
      value: parseEther('1'),
      chain: null,
    })
    const id = await enter({ transaction_hash })
    await mine(1)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'failed', reason: 'no_such_transfer' })
  })

  test('in a counterfeit token has failed, though it leaves the same event', async () => {
    const transaction_hash = await pay({ token: tokens.wld, units: 10n ** 20n })
    const id = await enter({ transaction_hash })
    await mine(1)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'failed', reason: 'no_such_transfer' })
  })
})

describe('a transaction that is no payment', () => {
  test.each([
    ['goes through', 1n, 'mined', null],
    ['reverts', 10n ** 18n, 'failed', 'reverted'],
  ])('%s', async (_name, units, status, reason) => {
    const transaction_hash = await pay({ units })
    const id = await enter({
      type: 'transaction',
      transaction_hash,
      token: '',
      token_amount: '',
      to: '',
    })
    await mine(1)
    await refresh()
    expect(await row(id)).toMatchObject({ status, reason })
  })
})

describe('when the chain changes its mind', () => {
  test('what was mined is pending again, and mined again', async () => {
    const hash = await pay()
    const id = await enter({ transaction_hash: hash })
    await mine(1)
    await refresh()
    const raw = await chain.request({
      method: 'eth_getRawTransactionByHash',
      params: [hash],
    } as never)
    await rpc('anvil_reorg', 1, [])
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'pending', block_number: null })
    await chain.sendRawTransaction({ serializedTransaction: raw as Hex })
    await mine(1)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'mined' })
  })

  test('what was mined is pending again when the chain is rolled back', async () => {
    const id = await enter({ transaction_hash: await pay() })
    await mine(1)
    await refresh()
    await rpc('anvil_rollback', 1)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'pending' })
    expect(Object((await query(platform, { id, app, key })).body).transaction_status).toBe(
      'pending',
    )
  })

  test('what had failed is pending again too', async () => {
    const id = await enter({ transaction_hash: await pay({ units: 10n ** 18n }) })
    await mine(1)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'failed', reason: 'reverted' })
    await rpc('anvil_reorg', 1, [])
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'pending', reason: null })
  })

  test('what is final stays, however deep the change', async () => {
    const id = await enter({ transaction_hash: await pay() })
    await mine(CONFIRMATIONS)
    await refresh()
    await rpc('anvil_rollback', CONFIRMATIONS)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'mined', is_final: true })
  })
})

describe('a transaction that is never mined', () => {
  test('because another has its number has failed, once that is as deep as it must be', async () => {
    const nonce = await chain.getTransactionCount({ address: BUYER })
    const id = await enter({ transaction_hash: await pay({ nonce }) })
    await refresh()
    await pay({ nonce, units: 2n, maxFeePerGas: 100_000_000_000n })
    await mine(CONFIRMATIONS - 1)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'pending' })
    await mine(1)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'failed', reason: 'replaced', is_final: false })
    await mine(CONFIRMATIONS)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'failed', reason: 'replaced', is_final: true })
  })

  test('though it once was, because another has its number since', async () => {
    const nonce = await chain.getTransactionCount({ address: BUYER })
    const id = await enter({ transaction_hash: await pay({ nonce }) })
    await mine(1)
    await refresh()
    await rpc('anvil_rollback', 1)
    await pay({ nonce, units: 2n })
    await mine(CONFIRMATIONS)
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'failed', reason: 'replaced' })
  })

  test('because it was dropped stays pending for a day, since it may be sent again', async () => {
    const hash = await pay()
    const id = await enter({ transaction_hash: hash })
    await refresh()
    await chain.dropTransaction({ hash })
    platform.clock.aheadMs = 86_000_000
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'pending' })
    platform.clock.aheadMs = 87_000_000
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'failed', reason: 'dropped', is_final: true })
  })

  test('because nobody ever sent it fails after a day', async () => {
    const id = await enter({})
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'pending' })
    platform.clock.aheadMs = 87_000_000
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'failed', reason: 'not_found' })
  })

  test('but waits, stays pending for as long as it waits', async () => {
    const id = await enter({ transaction_hash: await pay() })
    platform.clock.aheadMs = 87_000_000
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'pending' })
  })
})

describe('nothing changes, and all is made up for later, when the server', () => {
  const OTHER_HASH = `0x${'12'.repeat(32)}`

  test.each<[string, RpcProxy['manner']]>([
    ['is too slow', { delayMs: 600 }],
    ['refuses for too many requests', { limited: { times: 1_000 } }],
    ['fails', { status: 500, text: 'secret-key' }],
    ['answers no JSON', { text: '<html>' }],
    ['answers no JSON-RPC', { text: '{"ok":true}' }],
    ['answers nothing', { text: '' }],
    ['is of another chain', { alter: altering('eth_chainId', () => '0x1') }],
    ['refuses each call', { alter: (items) => items.map(refused) }],
  ])('%s', async (_name, manner) => {
    const id = await enter({ transaction_hash: await pay() })
    await mine(1)
    proxy.manner = manner
    expect(await refresh()).toMatchObject({
      unclear: 1,
      unreachable: ['local'],
    })
    expect(await row(id)).toMatchObject({ status: 'pending' })
    const asked = await query(platform, { id, app, key })
    expect(asked).toMatchObject({ status: 200, body: { transaction_status: 'pending' } })
    proxy.reset()
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'mined' })
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
    [
      'tells a receipt without its events',
      { alter: altering('eth_getTransactionReceipt', (one) => ({ ...Object(one), logs: null })) },
    ],
  ])('%s', async (_name, manner) => {
    const before = await enter({ transaction_hash: await pay() })
    await mine(1)
    await refresh()
    const after = await enter({ transaction_hash: await pay() })
    await mine(1)
    proxy.manner = manner
    expect(await refresh()).toMatchObject({ unclear: 2 })
    expect(await row(before)).toMatchObject({ status: 'mined' })
    expect(await row(after)).toMatchObject({ status: 'pending' })
    proxy.reset()
    await refresh()
    expect(await row(after)).toMatchObject({ status: 'mined' })
  })

  test('is behind: what it does not know yet is pending, never failed', async () => {
    const id = await enter({ transaction_hash: await pay() })
    await mine(1)
    const stale = altering('eth_getTransactionReceipt', () => null)
    const unknown = altering('eth_getTransactionByHash', () => null)
    proxy.manner = { alter: (items, asked) => unknown(stale(items, asked), asked) }
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'pending' })
  })

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
    const id = await enter({ transaction_hash: await pay() })
    await mine(1)
    proxy.manner = { limited: { times: 2, retryAfter: '0' } }
    expect(await refresh()).toMatchObject({ mined: 1, unclear: 0 })
    expect(await row(id)).toMatchObject({ status: 'mined' })
  })

  test('that answers in another order is understood', async () => {
    const ids = await enterMany(12)
    await mine(1)
    proxy.manner = { alter: (answers) => answers.toReversed() }
    expect(await refresh()).toMatchObject({ mined: 12, unclear: 0 })
    for (const id of ids) expect(await row(id)).toMatchObject({ status: 'mined' })
  })

  test('gets no more requests at one time than are configured, and calls in batches', async () => {
    await enterMany(120)
    await mine(1)
    proxy.reset()
    proxy.manner = { delayMs: 5 }
    expect(await refresh()).toMatchObject({ mined: 120 })
    expect(proxy.seen.mostUnderWay).toBeLessThanOrEqual(2)
    expect(proxy.seen.requests).toBeLessThan(40)
  })

  test('of another chain than it should be is not believed', async () => {
    const id = await enter({ chain: 'other', transaction_hash: await pay() })
    await mine(1)
    expect(await refresh()).toMatchObject({ unclear: 1, unreachable: ['other'] })
    expect(await row(id)).toMatchObject({ status: 'pending' })
  })

  test('that is away holds up no other chain', async () => {
    const elsewhere = await enter({ chain: 'away' })
    const id = await enter({ transaction_hash: await pay() })
    await mine(1)
    expect(await refresh()).toMatchObject({ mined: 1 })
    expect(await row(id)).toMatchObject({ status: 'mined' })
    expect(await row(elsewhere)).toMatchObject({ status: 'pending' })
  })

  test('is never asked about a chain that is not configured', async () => {
    const id = await enter({ chain: 'nowhere' })
    await refresh()
    expect(await row(id)).toMatchObject({ status: 'pending' })
    expect(await query(platform, { id, app, key })).toMatchObject({ status: 200 })
    expect(proxy.seen.calls).toEqual([])
  })
})

describe('two readers on one database', () => {
  test('share the work: each transaction is looked for once', async () => {
    const other = await platform.anotherInstance()
    await enterMany(100)
    await mine(1)
    proxy.reset()
    const runs = await Promise.all([
      refresh(),
      refresh(other.baseUrl),
      refresh(),
      refresh(other.baseUrl),
    ])
    await other.stop()
    expect(runs.reduce((sum, { mined }) => sum + mined, 0)).toBe(100)
    const asked = proxy.seen.calls.filter(({ method }) => method === 'eth_getTransactionReceipt')
    expect(new Set(asked.map(({ params }) => params[0])).size).toBe(100)
    expect(asked).toHaveLength(100)
  })

  test('what one died over is taken by the other, and what the dead one finds changes nothing', async () => {
    const id = await enter({ transaction_hash: await pay() })
    await mine(1)
    const [dead] = await claim()
    expect(await refresh(), 'it may still be alive').toMatchObject({ mined: 0 })
    await platform.db.query("update transaction set claimed_at = now() - interval '46 seconds'")
    expect(await refresh()).toMatchObject({ mined: 1 })
    const found = {
      id,
      claims: dead?.claims,
      transaction_status: 'failed',
      failure_reason: 'reverted',
    }
    const { rowCount } = await platform.db.query('select from store_sightings($1)', [
      JSON.stringify([{ ...found, from: '', is_final: true, is_known: true }]),
    ])
    expect(rowCount).toBe(0)
    expect(await row(id)).toMatchObject({ status: 'mined' })
  })

  async function claim(): Promise<{ claims: number }[]> {
    return (await platform.db.query("select * from claim_transactions('local', 10)")).rows
  }
})

test('what is old and still pending is looked for less often', async () => {
  const id = await enter({})
  await platform.db.query("update transaction set created_at = now() - interval '110 minutes'")
  await refresh()
  expect(await refresh()).toMatchObject({ pending: 0 })
  const { rows } = await platform.db.query(
    'select round(extract(epoch from due_at - checked_at) / 60)::integer as wait from transaction where id = $1',
    [id],
  )
  expect(rows).toEqual([{ wait: 5 }])
})

test.each([
  ['nothing', {}],
  ['a wrong secret', { authorization: `Bearer ${INTERNAL_SECRET}0` }],
])('the chain is not read for %s', async (_name, headers) => {
  const reply = await platform.post('/api/_transactions', {}, headers)
  expect(reply).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
})

type Payment = { token?: Hex; units?: bigint; nonce?: number; maxFeePerGas?: bigint }

/** Sends 1 USDCE from the buyer to the shop, unless said otherwise; it waits to be mined. */
function pay({ token = tokens.usdce, units = 1_000_000n, ...fields }: Payment = {}): Promise<Hex> {
  const data = encodeFunctionData({ abi: abi.token, functionName: 'transfer', args: [SHOP, units] })
  // Told, so that one that will revert is sent all the same.
  const gas = 200_000n
  return chain.sendTransaction({ account: BUYER, to: token, data, gas, chain: null, ...fields })
}

async function call(token: Hex, functionName: 'mint', to: Hex, value: bigint) {
  const data = encodeFunctionData({ abi: abi.token, functionName, args: [to, value] })
  await chain.sendTransaction({ to: token, data, chain: null })
}

function rpc(method: string, ...params: unknown[]) {
  return chain.request({ method, params } as never)
}

async function mine(blocks: number) {
  await chain.mine({ blocks })
}

function enter(fields: object): Promise<string> {
  return insert(platform, key, { ...paymentOf(app), to: SHOP, ...fields })
}

async function enterMany(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push(await enter({ transaction_hash: await pay() }))
  return ids
}

async function refresh(baseUrl = platform.baseUrl) {
  const headers = { authorization: `Bearer ${INTERNAL_SECRET}` }
  const response = await fetch(`${baseUrl}/api/_transactions`, { method: 'POST', headers })
  expect(response.status).toBe(200)
  return Object(await response.json())
}

async function row(id: string) {
  const { rows } = await platform.db.query(
    `select transaction_status as status, failure_reason as reason, is_final, "from", block_number
    from transaction where id = $1`,
    [id],
  )
  return rows[0]
}
