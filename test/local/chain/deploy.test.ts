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
  const results = await Promise.all([
    deployChain(anvil.rpcUrl),
    deployChain(anvil.rpcUrl),
    deployChain(anvil.rpcUrl),
  ])
  addresses = results[0]
  chain = await connectLocalChain(anvil.rpcUrl)
})
afterAll(() => anvil.stop())

describe('deployChain deploys what is missing on the local chain', () => {
  test('three simultaneous deployments succeed, and each contract has a different address', async () => {
    const results = [addresses.registry, addresses.resolver, addresses.universalResolver]
    results.push(...Object.values(addresses.groups), ...Object.values(addresses.tokens))
    expect(new Set(results).size).toBe(7)
    for (const address of results) expect(await chain.getCode({ address })).toMatch(/^0x60/)
  })

  test('a second deployment finds the contracts and sends nothing', async () => {
    const blockNumber = await chain.getBlockNumber()
    expect(await deployChain(anvil.rpcUrl)).toEqual(addresses)
    expect(await chain.getBlockNumber()).toBe(blockNumber)
  })

  test('deployChain rejects a chain with another id', async () => {
    const answer = { jsonrpc: '2.0', id: 1, result: '0x1' }
    const server = createServer((_, response) => response.end(JSON.stringify(answer)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await expect(deployChain(`http://127.0.0.1:${port}`)).rejects.toThrow(
      /must have the id 31337 of the local chain; got 1\./,
    )
    server.close()
  })

  test('deployChain says that no chain responds', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    await expect(deployChain(url)).rejects.toThrow(`No chain responds at ${url}.`)
  })
})

describe('viem resolves names through the universal resolver', () => {
  const resolve = (name: string, strict = false) =>
    createPublicClient({ transport: http(anvil.rpcUrl) }).getEnsAddress({
      name,
      strict,
      universalResolverAddress: UNIVERSAL_RESOLVER,
    })

  test('the universal resolver has the same address as on the public chain', () => {
    expect(UNIVERSAL_RESOLVER).toBe(mainnet.contracts.ensUniversalResolver.address)
  })

  test("the groups' names resolve to the groups' contracts", async () => {
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
  ])('the unknown name %s resolves to null', async (name) => expect(await resolve(name)).toBeNull())

  test('in strict mode an unknown name gets the error of the public resolver', async () => {
    await expect(resolve('nobody.eth', true)).rejects.toThrow(/ResolverNotFound/)
  })

  test('a new name resolves to its address, and to its next address after a change', async () => {
    await ensureNameRecord(chain, { ...addresses, name: 'id.worldcoin.eth' }, SOMEWHERE)
    expect(await resolve('id.worldcoin.eth')).toBe(SOMEWHERE)
    await ensureNameRecord(chain, { ...addresses, name: 'id.worldcoin.eth' }, STRANGER)
    expect(await resolve('id.worldcoin.eth')).toBe(STRANGER)
  })

  test('a name with a non-ASCII label resolves', async () => {
    await ensureNameRecord(chain, { ...addresses, name: 'möbius.eth' }, SOMEWHERE)
    expect(await resolve('möbius.eth')).toBe(SOMEWHERE)
  })

  test('a name with an empty label gets DNSDecodingFailed', async () => {
    await expect(resolve('semaphore..eth')).rejects.toThrow(/DNSDecodingFailed/)
  })

  test('a resolver that is not a contract gets ResolverNotContract', async () => {
    const args = [namehash('eth'), labelhash('empty'), OWNER, SOMEWHERE] as const
    const record = { address: addresses.registry, abi: abi.registry } as const
    const call = { ...record, functionName: 'setSubnodeRecord', args } as const
    await chain.writeContractSync({ ...call, chain: null })
    await expect(resolve('empty.eth', true)).rejects.toThrow(/ResolverNotContract/)
  })

  test('a record that the resolver does not support gets null, or an error in strict mode', async () => {
    const client = createPublicClient({ transport: http(anvil.rpcUrl) })
    const record = { name: 'semaphore.wld.eth', key: 'url' }
    const text = { ...record, universalResolverAddress: UNIVERSAL_RESOLVER } as const
    expect(await client.getEnsText(text)).toBeNull()
    await expect(client.getEnsText({ ...text, strict: true })).rejects.toThrow(
      /UnsupportedResolverProfile/,
    )
  })

  test('an account that does not own a name cannot register or change it', async () => {
    const registration = [zeroHash, labelhash('eth'), STRANGER, SOMEWHERE] as const
    const registry = { address: addresses.registry, abi: abi.registry, account: STRANGER } as const
    await expect(
      chain.simulateContract({ ...registry, functionName: 'setSubnodeRecord', args: registration }),
    ).rejects.toThrow(/NotTheNameOwner/)
    const change = [namehash('semaphore.wld.eth'), SOMEWHERE] as const
    const resolver = { address: addresses.resolver, abi: abi.resolver, account: STRANGER } as const
    await expect(
      chain.simulateContract({ ...resolver, functionName: 'setAddr', args: change }),
    ).rejects.toThrow(/NotTheNameOwner/)
  })
})
