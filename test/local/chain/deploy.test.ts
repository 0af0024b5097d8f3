import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPublicClient, http, labelhash, namehash, zeroHash } from 'viem'
import { mainnet } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UNIVERSAL_RESOLVER } from '../../../lib/chain/group-contract.ts'
import { abi } from '../../../local/chain/abi.ts'
import { type Anvil, startAnvil } from '../../../local/chain/anvil.ts'
import { type Addresses, deployChain } from '../../../local/chain/deploy.ts'
import { ensureNameRecord } from '../../../local/chain/group-names.ts'
import { connectLocalChain, type LocalChain, OWNER } from '../../../local/chain/local-chain.ts'
import { freePort } from '../../../local/process/free-port.ts'

const STRANGER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const SOMEWHERE = '0x00000000000000000000000000000000DeaDBeef'

let anvil: Anvil
let addresses: Addresses
let chain: LocalChain

beforeAll(async () => {
  anvil = await startAnvil({ port: await freePort() })
  const all = await Promise.all([
    deployChain(anvil.rpcUrl),
    deployChain(anvil.rpcUrl),
    deployChain(anvil.rpcUrl),
  ])
  addresses = all[0]
  chain = await connectLocalChain(anvil.rpcUrl)
})
afterAll(() => anvil.stop())

describe('deploying', () => {
  test('by three at once puts every contract there once', async () => {
    const all = [addresses.registry, addresses.resolver, addresses.universalResolver]
    all.push(...Object.values(addresses.groups), ...Object.values(addresses.tokens))
    expect(new Set(all).size).toBe(7)
    for (const address of all) expect(await chain.getCode({ address })).toMatch(/^0x60/)
  })

  test('again finds the same contracts and sends nothing', async () => {
    const before = await chain.getBlockNumber()
    expect(await deployChain(anvil.rpcUrl)).toEqual(addresses)
    expect(await chain.getBlockNumber()).toBe(before)
  })

  test('refuses a chain that is not the local one', async () => {
    const answer = { jsonrpc: '2.0', id: 1, result: '0x1' }
    const other = createServer((_, response) => response.end(JSON.stringify(answer)))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    await expect(deployChain(`http://127.0.0.1:${port}`)).rejects.toThrow(
      /has id 1; the local one has/,
    )
    other.close()
  })

  test('says so when no chain answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    await expect(deployChain(url)).rejects.toThrow(`No chain answers at ${url}.`)
  })
})

describe("names, through viem's own reading", () => {
  const resolve = (name: string, strict = false) =>
    createPublicClient({ transport: http(anvil.rpcUrl) }).getEnsAddress({
      name,
      strict,
      universalResolverAddress: UNIVERSAL_RESOLVER,
    })

  test('the universal resolver stands where it stands on the public chain', () => {
    expect(UNIVERSAL_RESOLVER).toBe(mainnet.contracts.ensUniversalResolver.address)
  })

  test("the groups' names stand for the groups' contracts", async () => {
    expect(await resolve('semaphore.wld.eth')).toBe(addresses.groups.production)
    expect(await resolve('staging.semaphore.wld.eth')).toBe(addresses.groups.staging)
  })

  test.each([
    'nobody.eth',
    'eth',
    'other.wld.eth',
    'a.staging.semaphore.wld.eth',
    'semaphore',
    'x'.repeat(300),
  ])('%s stands for nothing', async (name) => expect(await resolve(name)).toBeNull())

  test('a name that nobody has is told by the error that the public resolver gives', async () => {
    await expect(resolve('nobody.eth', true)).rejects.toThrow(/ResolverNotFound/)
  })

  test('a new name is found, and follows its next address', async () => {
    await ensureNameRecord(chain, { ...addresses, name: 'id.worldcoin.eth' }, SOMEWHERE)
    expect(await resolve('id.worldcoin.eth')).toBe(SOMEWHERE)
    await ensureNameRecord(chain, { ...addresses, name: 'id.worldcoin.eth' }, STRANGER)
    expect(await resolve('id.worldcoin.eth')).toBe(STRANGER)
  })

  test('a label that is not ASCII is found', async () => {
    await ensureNameRecord(chain, { ...addresses, name: 'möbius.eth' }, SOMEWHERE)
    expect(await resolve('möbius.eth')).toBe(SOMEWHERE)
  })

  test('a name with an empty label in it is malformed', async () => {
    await expect(resolve('semaphore..eth')).rejects.toThrow(/DNSDecodingFailed/)
  })

  test('a resolver that is no contract is no answer', async () => {
    const args = [namehash('eth'), labelhash('empty'), OWNER, SOMEWHERE] as const
    const record = { address: addresses.registry, abi: abi.registry } as const
    const call = { ...record, functionName: 'setSubnodeRecord', args } as const
    await chain.writeContractSync({ ...call, chain: null })
    await expect(resolve('empty.eth', true)).rejects.toThrow(/ResolverNotContract/)
  })

  test('a question that the resolver does not know is no answer', async () => {
    const client = createPublicClient({ transport: http(anvil.rpcUrl) })
    const question = { name: 'semaphore.wld.eth', key: 'url' }
    const text = { ...question, universalResolverAddress: UNIVERSAL_RESOLVER } as const
    expect(await client.getEnsText(text)).toBeNull()
    await expect(client.getEnsText({ ...text, strict: true })).rejects.toThrow(
      /UnsupportedResolverProfile/,
    )
  })

  test("a stranger can neither give names nor change another's", async () => {
    const take = [zeroHash, labelhash('eth'), STRANGER, SOMEWHERE] as const
    const registry = { address: addresses.registry, abi: abi.registry, account: STRANGER } as const
    await expect(
      chain.simulateContract({ ...registry, functionName: 'setSubnodeRecord', args: take }),
    ).rejects.toThrow(/NotTheNameOwner/)
    const turn = [namehash('semaphore.wld.eth'), SOMEWHERE] as const
    const resolver = { address: addresses.resolver, abi: abi.resolver, account: STRANGER } as const
    await expect(
      chain.simulateContract({ ...resolver, functionName: 'setAddr', args: turn }),
    ).rejects.toThrow(/NotTheNameOwner/)
  })
})
