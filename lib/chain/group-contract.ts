import { BaseError, createClient, custom, type Hex, isAddress, parseAbi } from 'viem'
import { getEnsAddress, readContract } from 'viem/actions'
import { jsonRpc, RpcError } from './json-rpc.ts'

/** The address of the universal resolver, on the public chain and on the local one. */
export const UNIVERSAL_RESOLVER = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee'

/** What a group's contract knows about a root. `supersededAt` is in Unix seconds; null for the latest. */
export type RootRecord = { known: false } | { known: true; supersededAt: number | null }

export type GroupContract = {
  /** The address that a normalised name stands for, or null when it stands for none. */
  resolve(name: string): Promise<string | null>
  /** What the contract at `address` knows about `root`. */
  queryRoot(address: string, root: bigint): Promise<RootRecord>
}

type Options = {
  rpcUrl: string
  /** For one attempt, until the last byte of its answer. There are at most two. */
  timeoutMs: number
  universalResolver?: string
}

/** The chain gave no usable answer: it is down, too slow, or answers what the contract never would. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable'
}

/**
 * Reads the name service and the groups' contracts.
 *
 * Both functions throw ChainUnavailable, after one more attempt.
 */
export function groupContract(options: Options): GroupContract {
  const client = chainClient(options)
  const universalResolverAddress = parseAddress(options.universalResolver ?? UNIVERSAL_RESOLVER)
  return {
    resolve: (name) =>
      attemptTwice(() => getEnsAddress(client, { name, universalResolverAddress })),
    queryRoot: (address, root) =>
      attemptTwice(async () => {
        const contract = { address: parseAddress(address), abi, functionName: 'queryRoot' } as const
        return toRootRecord(root, await readContract(client, { ...contract, args: [root] }))
      }),
  }
}

const abi = parseAbi(['function queryRoot(uint256) view returns (uint256, uint128, bool)'])

function chainClient({ rpcUrl, timeoutMs }: Options) {
  // Lookups that come together share a request: an eighth of the work under load, and a bounded number of
  // connections.
  const rpc = jsonRpc({ url: rpcUrl, timeoutMs, batchSize: 100, maxAttempts: 1 })
  return createClient({
    // A resolver could otherwise send this server to URLs of its own choice.
    ccipRead: false,
    transport: custom(rpc, { retryCount: 0 }),
  })
}

/** The usual reason for a second attempt is a kept connection that the other side has just closed. */
async function attemptTwice<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  return ask()
    .catch(ask)
    .catch((fault: unknown) => {
      // Without a cause: viem's errors repeat the text of the server, which may hold the key in our URL.
      throw new ChainUnavailable(describeChainFault(fault))
    })
}

function describeChainFault(fault: unknown): string {
  if (fault instanceof ImplausibleAnswer) return fault.message
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
