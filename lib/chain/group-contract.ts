import { parseAbi } from 'viem'
import { getEnsAddress, readContract } from 'viem/actions'
import {
  createGuardedChain,
  type GuardedChain,
  type GuardedChainOptions,
  ImplausibleAnswer,
  parseAddress,
} from './guarded-chain.ts'

/** The address of the universal resolver on the public chain and on the local chain. */
export const UNIVERSAL_RESOLVER = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee'

/**
 * The record that a group's contract has of a root. `supersededAt` is in Unix seconds; it is null for the latest root.
 */
export type RootRecord = { isKnown: false } | { isKnown: true; supersededAt: number | null }

export type GroupContract = Pick<GuardedChain, 'confirmChain'> & {
  /** Resolves a normalised name to its address, or null if the name has no address. */
  resolve(name: string): Promise<string | null>
  /** Asks the contract at `address` about `root`. */
  queryRoot(address: string, root: bigint): Promise<RootRecord>
}

type Options = GuardedChainOptions & { universalResolver?: string }

/**
 * Creates the functions that read the name service and the groups' contracts.
 *
 * All functions throw WrongChain if the chain id differs, or ChainUnavailable if both attempts fail.
 */
export function createGroupContract(options: Options): GroupContract {
  const { confirmChain, ask } = createGuardedChain(options)
  const universalResolverAddress = parseAddress(options.universalResolver ?? UNIVERSAL_RESOLVER)
  return {
    confirmChain,
    resolve: (name) => ask((client) => getEnsAddress(client, { name, universalResolverAddress })),
    queryRoot: (address, root) =>
      ask(async (client) => {
        const contract = { address: parseAddress(address), abi, functionName: 'queryRoot' } as const
        return toRootRecord(root, await readContract(client, { ...contract, args: [root] }))
      }),
  }
}

const abi = parseAbi(['function queryRoot(uint256) view returns (uint256, uint128, bool)'])

type QueryRootAnswer = readonly [root: bigint, supersededAt: bigint, isValid: boolean]

/** Ignores the contract's limit on the age of a superseded root, because the caller applies its own limit. */
function toRootRecord(queried: bigint, [root, supersededAt, isValid]: QueryRootAnswer): RootRecord {
  if (root === 0n && supersededAt === 0n && !isValid) return { isKnown: false }
  if (root !== queried) throw new ImplausibleAnswer('The contract returned another root.')
  if (supersededAt > 0n) return { isKnown: true, supersededAt: Number(supersededAt) }
  if (!isValid) throw new ImplausibleAnswer('The contract returned its latest root as invalid.')
  return { isKnown: true, supersededAt: null }
}
