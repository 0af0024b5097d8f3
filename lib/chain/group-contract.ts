import { BaseError, createClient, custom, type Hex, isAddress, parseAbi } from 'viem'
import { getEnsAddress, readContract } from 'viem/actions'
import { z } from 'zod'
import { createJsonRpc, type JsonRpc, RpcError } from './json-rpc.ts'

/** The address of the universal resolver, on the public chain and on the local one. */
export const UNIVERSAL_RESOLVER = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee'

/** What a group's contract knows about a root. `supersededAt` is in Unix seconds; null for the latest. */
export type RootRecord = { known: false } | { known: true; supersededAt: number | null }

export type GroupContract = {
  /** Resolves when the chain has answered that it is the expected one. */
  confirmChain(): Promise<void>
  /** The address that a normalised name stands for, or null when it stands for none. */
  resolve(name: string): Promise<string | null>
  /** What the contract at `address` knows about `root`. */
  queryRoot(address: string, root: bigint): Promise<RootRecord>
}

type Options = {
  rpcUrl: string
  /** The id of the chain that the contracts are on (EIP-155). */
  chainId: number
  /** For one attempt, until the last byte of its answer. There are at most two. */
  timeoutMs: number
  universalResolver?: string
}

/** The chain gave no usable answer: it is down, too slow, or answers what the contract never would. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable'
}

/** The server answers for another chain than the one that the contracts are on: nothing that it says about them counts. */
export class WrongChain extends ChainUnavailable {
  readonly found: bigint
  readonly expected: number

  constructor(found: bigint, expected: number) {
    super(`The server answers for chain ${found}, expected ${expected}.`)
    this.found = found
    this.expected = expected
  }
}

/**
 * Reads the name service and the groups' contracts, once the server has confirmed the id of its chain.
 *
 * All functions throw ChainUnavailable, after one more attempt, and WrongChain.
 */
export function createGroupContract(options: Options): GroupContract {
  const rpc = chainRpc(options)
  // A resolver could otherwise send this server to URLs of its own choice.
  const client = createClient({ ccipRead: false, transport: custom(rpc, { retryCount: 0 }) })
  const confirmChain = chainConfirmation(rpc, options.chainId)
  const ask = <Answer>(question: () => Promise<Answer>) =>
    attemptTwice(() => confirmChain().then(question))
  const universalResolverAddress = parseAddress(options.universalResolver ?? UNIVERSAL_RESOLVER)
  return {
    confirmChain: () => attemptTwice(confirmChain),
    resolve: (name) => ask(() => getEnsAddress(client, { name, universalResolverAddress })),
    queryRoot: (address, root) =>
      ask(async () => {
        const contract = { address: parseAddress(address), abi, functionName: 'queryRoot' } as const
        return toRootRecord(root, await readContract(client, { ...contract, args: [root] }))
      }),
  }
}

const abi = parseAbi(['function queryRoot(uint256) view returns (uint256, uint128, bool)'])

/** Lookups that come together share a request: an eighth of the work under load, and a bounded number of connections. */
function chainRpc({ rpcUrl, timeoutMs }: Options): JsonRpc {
  return createJsonRpc({ url: rpcUrl, timeoutMs, batchSize: 100, maxAttempts: 1 })
}

const ChainId = z.string().regex(/^0x[0-9a-f]{1,16}$/i)

/** Asks for the id of the chain until it is the expected one; then the answer holds for this process. */
function chainConfirmation(rpc: JsonRpc, expected: number): () => Promise<void> {
  let isConfirmed = false
  return async () => {
    if (isConfirmed) return
    const { data } = ChainId.safeParse(await rpc.request({ method: 'eth_chainId' }))
    if (data === undefined)
      throw new ImplausibleAnswer('The server did not give the id of its chain.')
    if (BigInt(data) !== BigInt(expected)) throw new WrongChain(BigInt(data), expected)
    isConfirmed = true
  }
}

/** The usual reason for a second attempt is a kept connection that the other side has just closed. */
async function attemptTwice<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  return ask()
    .catch(ask)
    .catch((fault: unknown) => {
      if (fault instanceof WrongChain) throw fault
      // Without a cause: viem's errors repeat the text of the server, which may hold the key in our URL.
      throw new ChainUnavailable(describeChainFault(fault))
    })
}

function describeChainFault(fault: unknown): string {
  if (fault instanceof ImplausibleAnswer || fault instanceof RpcError) return fault.message
  if (!(fault instanceof BaseError)) return 'The chain could not be asked.'
  const inRpc = fault.walk((cause) => cause instanceof RpcError)
  return inRpc instanceof RpcError ? inRpc.message : fault.shortMessage
}

/** An answer that no group's contract gives: another contract, or a faulty server, must have given it. */
class ImplausibleAnswer extends Error {}

function parseAddress(text: string): Hex {
  if (!isAddress(text, { strict: false })) throw new ImplausibleAnswer(`${text} is not an address.`)
  return text
}

type QueryRootAnswer = readonly [root: bigint, supersededAt: bigint, isValid: boolean]

/** Ignores whether the contract still calls a superseded root valid: we decide how old is too old. */
function toRootRecord(asked: bigint, [root, supersededAt, isValid]: QueryRootAnswer): RootRecord {
  if (root === 0n && supersededAt === 0n && !isValid) return { known: false }
  if (root !== asked) throw new ImplausibleAnswer('The contract answered about another root.')
  if (supersededAt > 0n) return { known: true, supersededAt: Number(supersededAt) }
  if (!isValid) throw new ImplausibleAnswer('The contract called its latest root invalid.')
  return { known: true, supersededAt: null }
}
