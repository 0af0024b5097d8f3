import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGroupContract } from '../../../lib/chain/group-contract.ts'
import type { Addresses } from '../../../local/chain/deploy.ts'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { startChain, type TestChain } from '../../support/chain.ts'

let anvil: TestChain
let addresses: Addresses

beforeAll(async () => {
  anvil = await startChain()
  addresses = anvil.addresses
})
afterAll(() => anvil.stop())

const publish = (root: bigint, group: 'production' | 'staging' = 'staging') =>
  publishRoot({ rpcUrl: anvil.rpcUrl, group, root })

const query = (root: bigint, group: 'production' | 'staging' = 'staging') =>
  createGroupContract({ rpcUrl: anvil.rpcUrl, chainId: CHAIN_ID, timeoutMs: 20_000 }).queryRoot(
    addresses.groups[group],
    root,
  )

describe('publishRoot publishes a root in the contract of a group', () => {
  test('a published root is known only to its group', async () => {
    expect(await publish(11n)).toBe(true)
    expect(await query(11n)).toEqual({ isKnown: true, supersededAt: null })
    expect(await query(11n, 'production')).toEqual({ isKnown: false })
  })

  test('a new root supersedes the previous root, which stays known', async () => {
    await publish(21n)
    await publish(22n)
    expect(await query(21n)).toEqual({ isKnown: true, supersededAt: expect.any(Number) })
    expect(await query(22n)).toEqual({ isKnown: true, supersededAt: null })
  })

  test('publishing the latest root sends nothing', async () => {
    await publish(31n)
    expect(await publish(31n)).toBe(false)
    expect(await query(31n)).toEqual({ isKnown: true, supersededAt: null })
  })

  test('publishing a superseded root makes it the latest again', async () => {
    await publish(41n)
    await publish(42n)
    expect(await publish(41n)).toBe(true)
    expect(await query(41n)).toEqual({ isKnown: true, supersededAt: null })
    expect(await query(42n)).toEqual({ isKnown: true, supersededAt: expect.any(Number) })
  })

  test('publishing works when a second ends between sending and mining', async () => {
    await publish(52n)
    const end = Date.now() + 1_200
    let latest = 51n
    do {
      await publish(latest)
      latest = 103n - latest
    } while (Date.now() < end)
    expect(await query(103n - latest)).toEqual({ isKnown: true, supersededAt: null })
    expect(await query(latest)).toEqual({ isKnown: true, supersededAt: expect.any(Number) })
  })

  test('40 simultaneous publications lose no root', async () => {
    const roots = Array.from({ length: 40 }, (_, index) => BigInt(1000 + index))
    await Promise.all(roots.map((root) => publish(root)))
    const records = await Promise.all(roots.map((root) => query(root)))
    expect(records.filter((record) => record.isKnown)).toHaveLength(40)
    expect(records.filter((r) => r.isKnown && r.supersededAt === null)).toHaveLength(1)
  })
})
