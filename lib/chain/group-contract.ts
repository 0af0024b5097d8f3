import { BaseError, createClient, custom, type Hex, isAddress, parseAbi } from 'viem'
import { getEnsAddress, readContract } from 'viem/actions'
import { z } from 'zod'
import { createJsonRpc, type JsonRpc, RpcError } from './json-rpc.ts'

/** The address of the universal resolver on the public chain and on the local chain. */
export const UNIVERSAL_RESOLVER = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee'

/**
 * The record that a group's contract has of a root. `supersededAt` is in Unix seconds; it is null for the latest root.
 */
export type RootRecord = { isKnown: false } | { isKnown: true; supersededAt: number | null }

export type GroupContract = {
  /** Resolves if the server has the expected chain id. */
  confirmChain(): Promise<void>
  /** Resolves a normalised name to its address, or null if the name has no address. */
  resolve(name: string): Promise<string | null>
  /** Asks the contract at `address` about `root`. */
  queryRoot(address: string, root: bigint): Promise<RootRecord>
}

type Options = {
  rpcUrl: string
  /** The id of the contracts' chain (EIP-155). */
  chainId: number
  /** The timeout of one request, until its whole response is read. A call makes at most two attempts. */
  timeoutMs: number
  universalResolver?: string
}

/** An error: the chain's server is down or too slow, or its response cannot come from a group's contract. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable'
}

/** An error: the server belongs to another chain than the contracts, so its responses are not used. */
export class WrongChain extends ChainUnavailable {
  readonly actual: bigint
  readonly expected: number

  constructor(actual: bigint, expected: number) {
    super(`The server belongs to chain ${actual}; expected chain ${expected}.`)
    this.actual = actual
    this.expected = expected
  }
}

/**
 * Creates the functions that read the name service and the groups' contracts. Each call first checks the server's chain
 * id, until a check has succeeded.
 *
 * All functions throw WrongChain if the chain id differs, or ChainUnavailable if both attempts fail.
 */
export function createGroupContract(options: Options): GroupContract {
  const rpc = chainRpc(options)
  // With CCIP read, a resolver could make this server request any URL.
  const client = createClient({ ccipRead: false, transport: custom(rpc, { retryCount: 0 }) })
  const confirmChain = chainConfirmation(rpc, options.chainId)
  const callContract = <Answer>(question: () => Promise<Answer>) =>
    attemptTwice(() => confirmChain().then(question))
  const universalResolverAddress = parseAddress(options.universalResolver ?? UNIVERSAL_RESOLVER)
  return {
    confirmChain: () => attemptTwice(confirmChain),
    resolve: (name) =>
      callContract(() => getEnsAddress(client, { name, universalResolverAddress })),
    queryRoot: (address, root) =>
      callContract(async () => {
        const contract = { address: parseAddress(address), abi, functionName: 'queryRoot' } as const
        return toRootRecord(root, await readContract(client, { ...contract, args: [root] }))
      }),
  }
}

const abi = parseAbi(['function queryRoot(uint256) view returns (uint256, uint128, bool)'])

/**
 * Creates a client that batches concurrent lookups. Under load, batches take less CPU time and fewer connections than
 * single calls.
 */
function chainRpc({ rpcUrl, timeoutMs }: Options): JsonRpc {
  return createJsonRpc({ url: rpcUrl, timeoutMs, batchSize: 100, maxAttempts: 1 })
}

const ChainId = z.string().regex(/^0x[0-9a-f]{1,16}$/i)

/** Creates the function that checks the chain id. After a success, it does not ask the server again. */
function chainConfirmation(rpc: JsonRpc, expected: number): () => Promise<void> {
  let isConfirmed = false
  return async () => {
    if (isConfirmed) return
    const { data } = ChainId.safeParse(await rpc.request({ method: 'eth_chainId' }))
    if (data === undefined)
      throw new ImplausibleAnswer('The server did not return a valid chain id.')
    if (BigInt(data) !== BigInt(expected)) throw new WrongChain(BigInt(data), expected)
    isConfirmed = true
  }
}

/** Makes a call, and repeats it once if it fails. A call often fails because the server has just closed its connection. */
async function attemptTwice<Answer>(callContract: () => Promise<Answer>): Promise<Answer> {
  return callContract()
    .catch(callContract)
    .catch((fault: unknown) => {
      if (fault instanceof WrongChain) throw fault
      // No cause: viem's errors quote the server's text, which may contain the key in our URL.
      throw new ChainUnavailable(describeChainFault(fault))
    })
}

function describeChainFault(fault: unknown): string {
  if (fault instanceof ImplausibleAnswer || fault instanceof RpcError) return fault.message
  if (!(fault instanceof BaseError)) return 'The call to the chain failed.'
  const inRpc = fault.walk((cause) => cause instanceof RpcError)
  return inRpc instanceof RpcError ? inRpc.message : fault.shortMessage
}

/** An error: an address or a chain id is malformed, or no group's contract can have sent this response. */
class ImplausibleAnswer extends Error {}

function parseAddress(text: string): Hex {
  if (!isAddress(text, { strict: false })) throw new ImplausibleAnswer(`${text} is not an address.`)
  return text
}

type QueryRootAnswer = readonly [root: bigint, supersededAt: bigint, isValid: boolean]

/** Ignores the contract's limit on the age of a superseded root, because the caller applies its own limit. */
function toRootRecord(queried: bigint, [root, supersededAt, isValid]: QueryRootAnswer): RootRecord {
  if (root === 0n && supersededAt === 0n && !isValid) return { isKnown: false }
  if (root !== queried) throw new ImplausibleAnswer('The contract returned another root.')
  if (supersededAt > 0n) return { isKnown: true, supersededAt: Number(supersededAt) }
  if (!isValid) throw new ImplausibleAnswer('The contract returned its latest root as invalid.')
  return { isKnown: true, supersededAt: null }
}
