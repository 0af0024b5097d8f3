import { encodeFunctionData, getAddress, type Hex } from 'viem'
import { expect } from 'vitest'
import { abi } from '../../../local/chain/abi.ts'
import type { Addresses } from '../../../local/chain/deploy.ts'
import { CHAIN_ID, connectLocalChain, type LocalChain } from '../../../local/chain/local-chain.ts'
import { startChain } from '../chain.ts'
import { insert, paymentOf, query } from './payments.ts'
import { INTERNAL_SECRET } from './platform-environment.ts'
import { startRpcProxy } from './rpc-proxy.ts'
import { startTestPlatform, type TestPlatform } from './start-platform.ts'

export const CONFIRMATIONS = 3
export const SHOP: Hex = getAddress('0x00000000000000000000000000000000000000aa')
/** One of anvil's accounts. Anvil has its private key, and signs its transactions. */
export const BUYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** Another of anvil's accounts, which also has tokens. */
export const STRANGER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

type Payment = {
  account?: Hex
  token?: Hex
  units?: bigint
  nonce?: number
  maxFeePerGas?: bigint
}

export type Shop = Awaited<ReturnType<typeof startShop>>

/**
 * Starts an app, and a chain on which buyers pay the app. The chain mines a block only when a test
 * requests one. The platform reads the chain through a proxy.
 */
export async function startShop() {
  const parts = await startParts()
  const { anvil, chain, tokens, proxy, platform, team, app } = parts

  /** Sends a transfer to the shop, by default 1 USDCE from the buyer; it waits to be mined. */
  function pay({
    token = tokens.usdce,
    units = 1_000_000n,
    ...fields
  }: Payment = {}): Promise<Hex> {
    const data = encodeFunctionData({
      abi: abi.token,
      functionName: 'transfer',
      args: [SHOP, units],
    })
    return send({ to: token, data, ...fields })
  }

  /** Sends the buyer's tokens to the shop in a transaction of another account, like a relay. */
  async function payThrough(account: Hex, units = 1_000_000n): Promise<Hex> {
    const approve = { functionName: 'approve', args: [account, units] } as const
    await send({ to: tokens.usdce, data: encodeFunctionData({ abi: abi.token, ...approve }) })
    const move = { functionName: 'transferFrom', args: [BUYER, SHOP, units] } as const
    const data = encodeFunctionData({ abi: abi.token, ...move })
    return send({ account, to: tokens.usdce, data })
  }

  function send(transaction: { account?: Hex; to?: Hex; data: Hex }): Promise<Hex> {
    // Skips the estimate of gas, which fails for a transaction that will revert.
    const gas = 2_000_000n
    return chain.sendTransaction({ account: BUYER, gas, chain: null, ...transaction })
  }

  async function mine(blocks: number) {
    await chain.mine({ blocks })
  }

  /** Moves the clocks of the platform and the chain; the chain's moves with a new block. */
  async function passTime(seconds: number) {
    platform.clock.aheadMs += seconds * 1_000
    await chain.increaseTime({ seconds })
    await mine(1)
  }

  function enter(fields: object): Promise<string> {
    return insert(platform, team.apiKey, { ...paymentOf(app), to: SHOP, ...fields })
  }

  return {
    ...parts,
    pay,
    passTime,
    payThrough,
    send,
    mine,
    enter,
    async enterMany(count: number): Promise<string[]> {
      const ids: string[] = []
      for (let i = 0; i < count; i++) ids.push(await enter({ transaction_hash: await pay() }))
      return ids
    },
    /** Requests the status of a transaction as the app's server. */
    query: (
      id: string,
      { on = platform, type }: { on?: { baseUrl: string }; type?: string } = {},
    ) => query(on, { id, app, key: team.apiKey, ...(type && { type }) }),
    /** Runs the schedule on an instance. */
    refresh: (baseUrl = platform.baseUrl) => refreshOn(baseUrl),
    row: (id: string) => readTransaction(platform, id),
    rpc: (method: string, ...params: unknown[]) => chain.request({ method, params } as never),
    /** Restores the shop after a test: no transaction is stored, and none waits to be mined. */
    async tidy() {
      proxy.reset()
      platform.clock.aheadMs = 0
      await platform.db.query('delete from transaction')
      await mine(1)
    },
    async stop() {
      await platform.stop()
      await proxy.stop()
      await anvil.stop()
    },
  }
}

async function startParts() {
  const anvil = await startChain()
  const chain = await connectLocalChain(anvil.rpcUrl)
  const { tokens } = anvil.addresses
  await deal(chain, tokens)
  await chain.setAutomine(false)
  const proxy = await startRpcProxy(anvil.rpcUrl)
  const platform = await startTestPlatform(environmentWithChains(proxy.url, tokens))
  const team = await platform.team()
  const app = await platform.app({ team })
  return { anvil, chain, tokens, proxy, platform, team, app }
}

/** Runs the schedule of an instance. */
async function refreshOn(baseUrl: string) {
  const headers = { authorization: `Bearer ${INTERNAL_SECRET}` }
  const response = await fetch(`${baseUrl}/api/_transactions`, { method: 'POST', headers })
  expect(response.status).toBe(200)
  return Object(await response.json())
}

/** Reads the stored row of a transaction. */
async function readTransaction({ db }: TestPlatform, id: string) {
  const { rows } = await db.query(
    `select transaction_status as status, failure_reason as reason, is_final, "from", "to", block_number
    from transaction where id = $1`,
    [id],
  )
  return rows[0]
}

/** Mints a million of each token for the buyer and the stranger. */
async function deal(chain: LocalChain, tokens: Addresses['tokens']) {
  const mint = (token: Hex, account: Hex, units: bigint) => {
    const args = [account, units] as const
    const data = encodeFunctionData({ abi: abi.token, functionName: 'mint', args })
    return chain.sendTransaction({ to: token, data, chain: null })
  }
  for (const account of [BUYER, STRANGER] as const) {
    await mint(tokens.usdce, account, 10n ** 12n)
    await mint(tokens.wld, account, 10n ** 24n)
  }
}

/** Configures three chains. The first chain works, the second has a wrong id, and the third is down. */
function environmentWithChains(url: string, tokens: Addresses['tokens']) {
  const local = {
    rpc_url: url,
    chain_id: CHAIN_ID,
    confirmations: CONFIRMATIONS,
    tokens: {
      USDCE: { address: tokens.usdce, decimals: 6 },
      WLD: { address: tokens.wld, decimals: 18 },
      CENTS: { address: tokens.usdce, decimals: 2 },
    },
  }
  const other = { ...local, chain_id: 1 }
  const away = { ...local, chain_id: 2, rpc_url: 'http://127.0.0.1:9' }
  return {
    PAYMENT_CHAINS: JSON.stringify({ local, other, away }),
    CHAIN_TIMEOUT_MS: '20000',
    CHAIN_BATCH_SIZE: '10',
    CHAIN_CONCURRENCY: '2',
    TRANSACTION_MAX_AGE_SECONDS: '0',
  }
}
