import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { r } from '../../../lib/proof/field.ts'
import { abi } from '../../../local/chain/abi.ts'
import type { Addresses } from '../../../local/chain/deploy.ts'
import { connectLocalChain, type LocalChain } from '../../../local/chain/local-chain.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { startChain, type TestChain } from '../../support/chain.ts'

const STRANGER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let anvil: TestChain
let addresses: Addresses
let chain: LocalChain

beforeAll(async () => {
  anvil = await startChain()
  addresses = anvil.addresses
  chain = await connectLocalChain(anvil.rpcUrl)
})
afterAll(() => anvil.stop())

const contract = () => ({ address: addresses.groups.production, abi: abi.groupRoots }) as const
const query = (root: bigint) =>
  chain.readContract({ ...contract(), functionName: 'queryRoot', args: [root] })
const publish = (root: bigint) => publishRoot({ rpcUrl: anvil.rpcUrl, group: 'production', root })
const clock = async () => (await chain.getBlock()).timestamp

/** Publishes `root` and then `next`. @returns the time at which `root` was superseded */
async function supersede(root: bigint, next: bigint): Promise<bigint> {
  await publish(root)
  await publish(next)
  return clock()
}

async function moveClockTo(timestamp: bigint) {
  await chain.setNextBlockTimestamp({ timestamp })
  await chain.mine({ blocks: 1 })
}

describe('queryRoot returns the state of a root', () => {
  test.each([1n, 0n, r, 2n ** 256n - 1n])(
    'the root %s, which was never published, is invalid',
    async (root) => {
      expect(await query(root)).toEqual([0n, 0n, false])
    },
  )

  test('the latest root has no timestamp', async () => {
    await publish(100n)
    expect(await query(100n)).toEqual([100n, 0n, true])
  })

  test('queryRoot has the selector 0x3f7c178d and returns three words', async () => {
    await publish(101n)
    const data = `0x3f7c178d${101n.toString(16).padStart(64, '0')}` as const
    const { data: answer } = await chain.call({ to: addresses.groups.production, data })
    const words = [101n, 0n, 1n].map((word) => word.toString(16).padStart(64, '0'))
    expect(answer).toBe(`0x${words.join('')}`)
  })

  test('the timestamp of a root is the time at which it was superseded, not published', async () => {
    const superseded = await supersede(200n, 201n)
    await moveClockTo(superseded + 60n)
    await publish(202n)
    expect(await query(200n)).toEqual([200n, superseded, true])
    expect(await query(201n)).toEqual([201n, await clock(), true])
  })

  test('a superseded root is valid until the expiry, and keeps its timestamp after it', async () => {
    const expiry = await chain.readContract({ ...contract(), functionName: 'rootHistoryExpiry' })
    const superseded = await supersede(300n, 301n)
    await moveClockTo(superseded + expiry)
    expect(await query(300n)).toEqual([300n, superseded, true])
    await moveClockTo(superseded + expiry + 1n)
    expect(await query(300n)).toEqual([300n, superseded, false])
    expect(await query(301n)).toEqual([301n, 0n, true])
  })

  test('a root that was superseded twice has the timestamp of the second time', async () => {
    const first = await supersede(400n, 401n)
    await moveClockTo(first + 100n)
    const second = await supersede(400n, 402n)
    expect(second).toBeGreaterThanOrEqual(first + 100n)
    expect(await query(400n)).toEqual([400n, second, true])
  })

  test('queryRoot works after the clock has been set back', async () => {
    await chain.increaseTime({ seconds: 1_000_000 })
    const future = await supersede(500n, 501n)
    const present = BigInt(Math.floor(Date.now() / 1000))
    const { address } = contract()
    const blockOverrides = { time: present }
    const call = { address, abi: abi.groupRoots, functionName: 'queryRoot' } as const
    expect(await chain.readContract({ ...call, args: [500n], blockOverrides })).toEqual([
      500n,
      future,
      true,
    ])
  })
})

describe('publishRoot makes a root the latest root', () => {
  test('an account that is not the owner gets NotTheOwner', async () => {
    const call = { ...contract(), functionName: 'publishRoot', args: [9n] } as const
    await expect(chain.simulateContract({ ...call, account: STRANGER })).rejects.toThrow(
      /NotTheOwner/,
    )
  })

  test.each([
    [0n, false],
    [1n, true],
    [r - 1n, true],
    [r, false],
    [2n ** 256n - 1n, false],
  ])('publishRoot(%s) is accepted: %s', async (root, isAccepted) => {
    const call = { ...contract(), functionName: 'publishRoot', args: [root] } as const
    const outcome = chain.simulateContract(call)
    if (isAccepted) await expect(outcome).resolves.toBeDefined()
    else await expect(outcome).rejects.toThrow(/NotARoot/)
  })

  test('publishing the latest root again changes nothing', async () => {
    await publish(600n)
    const call = { ...contract(), functionName: 'publishRoot', args: [600n], chain: null } as const
    const { logs } = await chain.writeContractSync(call)
    expect(logs).toEqual([])
    expect(await query(600n)).toEqual([600n, 0n, true])
  })
})
