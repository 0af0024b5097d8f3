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

describe('publishing a root', () => {
  test('makes it known to its own group only', async () => {
    expect(await publish(11n)).toBe(true)
    expect(await query(11n)).toEqual({ known: true, supersededAt: null })
    expect(await query(11n, 'production')).toEqual({ known: false })
  })

  test('supersedes the one before, which stays known', async () => {
    await publish(21n)
    await publish(22n)
    expect(await query(21n)).toEqual({ known: true, supersededAt: expect.any(Number) })
    expect(await query(22n)).toEqual({ known: true, supersededAt: null })
  })

  test('that is the latest sends nothing', async () => {
    await publish(31n)
    expect(await publish(31n)).toBe(false)
    expect(await query(31n)).toEqual({ known: true, supersededAt: null })
  })

  test('that was superseded makes it the latest again', async () => {
    await publish(41n)
    await publish(42n)
    expect(await publish(41n)).toBe(true)
    expect(await query(41n)).toEqual({ known: true, supersededAt: null })
    expect(await query(42n)).toEqual({ known: true, supersededAt: expect.any(Number) })
  })

  test('works when the second ends between its sending and its mining, too', async () => {
    await publish(52n)
    const end = Date.now() + 1_200
    let latest = 51n
    do {
      await publish(latest)
      latest = 103n - latest
    } while (Date.now() < end)
    expect(await query(103n - latest)).toEqual({ known: true, supersededAt: null })
    expect(await query(latest)).toEqual({ known: true, supersededAt: expect.any(Number) })
  })

  test('by many processes at once loses no root', async () => {
    const roots = Array.from({ length: 40 }, (_, index) => BigInt(1000 + index))
    await Promise.all(roots.map((root) => publish(root)))
    const records = await Promise.all(roots.map((root) => query(root)))
    expect(records.filter((record) => record.known)).toHaveLength(40)
    expect(records.filter((r) => r.known && r.supersededAt === null)).toHaveLength(1)
  })
})
