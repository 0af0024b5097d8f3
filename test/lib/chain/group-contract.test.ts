import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { encodeErrorResult, parseAbi } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createGroupContract, UNIVERSAL_RESOLVER } from '../../../lib/chain/group-contract.ts'
import { ChainUnavailable, WrongChain } from '../../../lib/chain/guarded-chain.ts'
import type { Addresses } from '../../../local/chain/deploy.ts'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { startChain, type TestChain } from '../../support/chain.ts'

const EMPTY_ADDRESS = '0x00000000000000000000000000000000DeaDBeef'

let anvil: TestChain
let addresses: Addresses

beforeAll(async () => {
  anvil = await startChain()
  addresses = anvil.addresses
})
afterAll(() => anvil.stop())

const local = () =>
  createGroupContract({ rpcUrl: anvil.rpcUrl, chainId: CHAIN_ID, timeoutMs: 20_000 })

describe('createGroupContract reads the local chain', () => {
  test('a name resolves to its address, and an unknown name to null', async () => {
    expect(await local().resolve('semaphore.wld.eth')).toBe(addresses.groups.production)
    expect(await local().resolve('nobody.wld.eth')).toBeNull()
  })

  test('queryRoot distinguishes an unknown, a latest and a superseded root', async () => {
    const { rpcUrl } = anvil
    const query = (root: bigint) => local().queryRoot(addresses.groups.staging, root)
    expect(await query(5n)).toEqual({ isKnown: false })
    await publishRoot({ rpcUrl, group: 'staging', root: 5n })
    expect(await query(5n)).toEqual({ isKnown: true, supersededAt: null })
    await publishRoot({ rpcUrl, group: 'staging', root: 6n })
    const record = await query(5n)
    const supersededAt = record.isKnown ? record.supersededAt : null
    expect(Math.abs((supersededAt ?? 0) - Date.now() / 1000)).toBeLessThan(60)
  })

  test('each of 250 concurrent queries gets the answer for its own root', async () => {
    const { rpcUrl } = anvil
    for (const root of [31n, 33n, 35n]) await publishRoot({ rpcUrl, group: 'staging', root })
    const contract = local()
    const roots = Array.from({ length: 250 }, (_, index) => BigInt(index + 30))
    const ask = (root: bigint) => contract.queryRoot(addresses.groups.staging, root)
    const records = await Promise.all(roots.map(ask))
    expect(roots.filter((_, index) => records[index]?.isKnown)).toEqual([31n, 33n, 35n])
  })

  test('the root zero is always unknown', async () => {
    expect(await local().queryRoot(addresses.groups.production, 0n)).toEqual({ isKnown: false })
  })

  test('a query at an address without a contract throws ChainUnavailable', async () => {
    await expect(local().queryRoot(EMPTY_ADDRESS, 5n)).rejects.toThrow(ChainUnavailable)
    const { rpcUrl } = anvil
    const elsewhere = createGroupContract({
      rpcUrl,
      chainId: CHAIN_ID,
      timeoutMs: 20_000,
      universalResolver: EMPTY_ADDRESS,
    })
    await expect(elsewhere.resolve('semaphore.wld.eth')).rejects.toThrow(ChainUnavailable)
  })

  test('a query at a contract without the function throws ChainUnavailable', async () => {
    await expect(local().queryRoot(addresses.tokens.wld, 5n)).rejects.toThrow(ChainUnavailable)
  })

  test('a malformed address of the universal resolver is rejected at once', () => {
    const options = {
      rpcUrl: anvil.rpcUrl,
      chainId: CHAIN_ID,
      timeoutMs: 100,
      universalResolver: '0x12',
    }
    expect(() => createGroupContract(options)).toThrow('0x12 is not an address.')
  })
})

describe('createGroupContract rejects a chain with an unexpected id', () => {
  const elsewhere = () =>
    createGroupContract({ rpcUrl: anvil.rpcUrl, chainId: 1, timeoutMs: 20_000 })
  test('every call throws WrongChain if the server belongs to another chain', async () => {
    const { rpcUrl } = anvil
    await publishRoot({ rpcUrl, group: 'staging', root: 51n })
    const contract = elsewhere()
    await expect(contract.confirmChain()).rejects.toThrow(WrongChain)
    await expect(contract.resolve('semaphore.wld.eth')).rejects.toThrow(WrongChain)
    await expect(contract.queryRoot(addresses.groups.staging, 51n)).rejects.toThrow(WrongChain)
    expect(await local().queryRoot(addresses.groups.staging, 51n)).toMatchObject({ isKnown: true })
  })

  test('WrongChain names both chains, and is a ChainUnavailable', async () => {
    const fault = await elsewhere()
      .confirmChain()
      .catch((thrown) => thrown)
    expect(fault).toBeInstanceOf(ChainUnavailable)
    expect(fault.message).toBe(`The server belongs to chain ${CHAIN_ID}; expected chain 1.`)
  })
})

describe('createGroupContract copes with a node that fails', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })

  let requests = 0

  /** Starts a server that imitates a node and counts the requests. Returns a contract that uses the node. */
  async function node(listener: RequestListener, timeoutMs = 20_000) {
    requests = 0
    const server = createServer(
      onLocalChain((request, response) => {
        requests += 1
        listener(request, response)
      }),
    )
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const rpcUrl = `http://127.0.0.1:${port}/key-of-ours`
    return createGroupContract({ rpcUrl, chainId: CHAIN_ID, timeoutMs })
  }

  const bodies = new WeakMap<IncomingMessage, string>()

  /** Answers eth_chainId correctly, and passes all other calls on. */
  function onLocalChain(listener: RequestListener): RequestListener {
    return async (request, response) => {
      const body = await text(request)
      bodies.set(request, body)
      if (!body.includes('"eth_chainId"')) return listener(request, response)
      const result = `0x${CHAIN_ID.toString(16)}`
      await replyTo(request, response, (calls) => calls.map(({ id }) => ({ id, result })))
    }
  }

  const word = (n: bigint) => n.toString(16).padStart(64, '0')
  const answering = (...words: bigint[]): RequestListener =>
    answeringText(`0x${words.map(word).join('')}`)
  const answeringText = (result: unknown) => answeringWith({ result })
  const answeringWith =
    (answer: object): RequestListener =>
    (request, response) =>
      replyTo(request, response, (calls) => calls.map(({ id }) => ({ id, ...answer })))

  type Call = { id: number }

  /** Answers a batch with a list, and a single call with one object. */
  async function replyTo(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (calls: Call[]) => object[],
  ) {
    const calls: Call | Call[] = JSON.parse(bodies.get(request) ?? (await text(request)))
    const answers = answer([calls].flat())
    response.end(JSON.stringify(Array.isArray(calls) ? answers : (answers[0] ?? null)))
  }

  test.each<[string, RequestListener, number?]>([
    ['never answers', () => {}, 1_000],
    [
      'sends headers and then nothing',
      (_, response) => response.writeHead(200).flushHeaders(),
      1_000,
    ],
    [
      'sends half an answer',
      (_, response) => response.writeHead(200, { 'content-length': 99 }).write('[{"id":'),
      1_000,
    ],
    ['hangs up', (request) => request.socket.destroy()],
    ['answers 500', (_, response) => response.writeHead(500).end('no')],
    ['asks to retry after an hour', (_, r) => r.writeHead(429, { 'retry-after': '3600' }).end()],
    ['answers HTML', (_, response) => response.end('<html>')],
    ['answers an empty list', (_, response) => response.end('[]')],
    ['answers null', answeringText(null)],
    ['answers a text that is not hex', answeringText('five')],
    ['answers too few words', answering(5n)],
    ['answers another root', answering(6n, 0n, 1n)],
    ['answers that an unknown root is valid', answering(0n, 0n, 1n)],
    ['answers that the latest root is invalid', answering(5n, 0n, 0n)],
    ['answers a malformed boolean', answering(5n, 0n, 2n)],
  ])('a node that %s is unavailable after two attempts', async (_, listener, timeoutMs) => {
    const contract = await node(listener, timeoutMs)
    const fault = await contract.queryRoot(EMPTY_ADDRESS, 5n).catch((thrown) => thrown)
    expect(fault).toBeInstanceOf(ChainUnavailable)
    expect(requests).toBe(2)
  })

  test.each<[string, (ids: number[]) => number[], boolean]>([
    ['omits an answer', (ids) => ids.slice(1), true],
    ['answers a call twice', ([first = 0, ...laterIds]) => [first, first, ...laterIds], false],
    ['answers with an unknown id', (ids) => ids.map((id) => id + 1), false],
  ])(
    'no call gets the answer of another call from a node that %s',
    async (_, idsOf, isSecondAnswered) => {
      // The node answers "unknown" for every root. So a call without an answer must not get "unknown".
      const contract = await node((request, response) =>
        replyTo(request, response, (calls) => {
          const result = `0x${[0n, 0n, 0n].map(word).join('')}`
          return idsOf(calls.map(({ id }) => id)).map((id) => ({ id, result }))
        }),
      )
      const queries = [5n, 6n].map((root) => contract.queryRoot(EMPTY_ADDRESS, root))
      const unavailable = { status: 'rejected', reason: expect.any(ChainUnavailable) }
      const unknown = { status: 'fulfilled', value: { isKnown: false } }
      expect(await Promise.allSettled(queries)).toEqual([
        unavailable,
        isSecondAnswered ? unknown : unavailable,
      ])
    },
  )

  test('the error does not contain the URL of the node, which may contain a key', async () => {
    const contract = await node((_, response) => response.writeHead(500).end())
    const fault = await contract.queryRoot(EMPTY_ADDRESS, 5n).catch((thrown) => thrown)
    expect(fault.message).toBe('The server answered 500.')
    expect(`${fault.stack} ${JSON.stringify(fault)} ${fault.cause}`).not.toContain('key-of-ours')
  })

  test('a query succeeds at the second attempt if the node fails once', async () => {
    const answer = answering(5n, 77n, 0n)
    const contract = await node((request, response) =>
      requests === 1 ? request.socket.destroy() : answer(request, response),
    )
    const record = await contract.queryRoot(EMPTY_ADDRESS, 5n)
    expect(record).toEqual({ isKnown: true, supersededAt: 77 })
  })

  test('queries fail while the node is down, and succeed when it is back', async () => {
    const port = await freePort()
    const contract = createGroupContract({
      rpcUrl: `http://127.0.0.1:${port}`,
      chainId: CHAIN_ID,
      timeoutMs: 20_000,
    })
    await expect(contract.resolve('semaphore.wld.eth')).rejects.toThrow(ChainUnavailable)
    await expect(contract.queryRoot(EMPTY_ADDRESS, 5n)).rejects.toThrow(ChainUnavailable)
    const server = createServer(onLocalChain(answering(5n, 0n, 1n)))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    expect(await contract.queryRoot(EMPTY_ADDRESS, 5n)).toMatchObject({ isKnown: true })
  })

  test('a resolver cannot make the platform request a URL (CCIP read)', async () => {
    let visits = 0
    const trap = createServer((_, response) => {
      visits += 1
      response.end('{"data":"0x"}')
    })
    servers.push(trap)
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
    const { port } = trap.address() as AddressInfo
    // The revert with which a contract asks its caller to fetch a URL (EIP-3668).
    const args = [
      UNIVERSAL_RESOLVER,
      [`http://127.0.0.1:${port}`],
      '0x',
      '0x00000000',
      '0x',
    ] as const
    const data = encodeErrorResult({ abi: lookup, errorName: 'OffchainLookup', args })
    const contract = await node(answeringWith({ error: { code: 3, message: 'reverted', data } }))
    await expect(contract.resolve('semaphore.wld.eth')).rejects.toThrow(ChainUnavailable)
    expect(visits).toBe(0)
  })
})

const lookup = parseAbi([
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extra)',
])
