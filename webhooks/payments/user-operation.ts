import { z } from 'zod'
import { RpcError } from '../../lib/chain/json-rpc.ts'
import { resultInTime } from '../../lib/runtime/calls/result-in-time.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { createFairQueue } from '../../lib/runtime/limits/fair-queue.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import { createSharedLookup } from '../../lib/verification/lookup/shared-lookup.ts'
import { requiredText } from '../route/input-text.ts'
import type { MinedUserOperation } from './chain-view.ts'
import type { Payments } from './refresh-leased.ts'

/** The path of `GET /api/v2/minikit/userop/{user_op_hash}` (spec 4.1). */
export const UserOperationInput = z.object({
  user_op_hash: requiredText
    .refine((text) => /^0x[0-9a-fA-F]{64}$/.test(text), 'Must be 0x and 64 hex digits.')
    .transform((text) => text.toLowerCase())
    .describe("The `userOpHash` that MiniKit's `sendTransaction` returned"),
})

type Input = z.infer<typeof UserOperationInput>

/** The response (spec 2.13). */
const UserOperationOutput = z.strictObject({
  status: z.enum(['pending', 'success', 'failed']),
  userOpHash: z.string(),
  sender: z.string().nullable().describe('The wallet; null while pending'),
  transaction_hash: z.string().nullable().describe('Null while pending'),
  nonce: z.string().nullable().describe("The wallet's nonce, in hex; null while pending"),
})

export type UserOperationServices = { payments: Pick<Payments, 'chains'> }

/**
 * The limits of concurrent lookups, which share the chains' RPC servers with the status of payments. A caller has at most a
 * quarter of the places and of the queue.
 */
const LOOKUPS = {
  places: 20,
  placesPerCaller: 5,
  placesForHeavy: 10,
  maxWaiting: 200,
  maxWaitingPerCaller: 50,
  maxWaitMs: 2_500,
}

/** How long a caller waits for a place and for the chains together. */
const MAX_WAIT_MS = 5_000

/** How long a result is reused. A block may still be replaced. */
const MAX_AGE_SECONDS = 1

/** The most results that are reused. */
const MAX_RESULTS = 1_000

/**
 * Returns the status of an ERC-4337 user operation, and the hash of its transaction. Reads the recent blocks of all chains of
 * payments.
 *
 * @returns spec 2.13
 * @throws required, invalid_request, unavailable
 */
export const userOperation = jsonOperation(
  {
    tag: 'Payments',
    summary: 'The transaction of a user operation',
    output: UserOperationOutput,
    errors: ['required', { code: 'unavailable', status: 503 }],
    invalid: 'invalid_request',
  },
  ({ payments }: UserOperationServices) => {
    const find = createFinder([...payments.chains.values()])
    return async ({ user_op_hash }: Input, { address, log }: Context) => {
      const lookup = await resultInTime(MAX_WAIT_MS, find(user_op_hash, address)).catch(
        (fault: unknown) => {
          if (fault instanceof ApiError && fault.cause instanceof RpcError)
            log.warn({ err: fault.cause }, 'user operation not read')
          throw fault
        },
      )
      if (!lookup) throw new ApiError('unavailable')
      return toOutput(user_op_hash, lookup.found)
    }
  },
)

type Lookup = { found: MinedUserOperation | null }

/** Creates the function that looks for a user operation on the chains. Callers share the chains fairly, by their address. */
function createFinder(chains: readonly ReaderOfUserOperations[]) {
  const lookUp = createSharedLookup<Lookup>({
    lifetimeSeconds: MAX_AGE_SECONDS,
    maxEntries: MAX_RESULTS,
    now: () => performance.now() / 1_000,
    turns: createFairQueue(LOOKUPS),
  })
  return async (hash: string, address: string): Promise<Lookup> => {
    if (chains.length === 0) throw new ApiError('unavailable')
    return lookUp(hash, () => findOnChains(chains, hash), [address])
  }
}

type ReaderOfUserOperations = {
  findUserOperation(hash: string): Promise<MinedUserOperation | null>
}

/** @throws RpcError if no chain has the operation, and a chain could not be read */
async function findOnChains(
  chains: readonly ReaderOfUserOperations[],
  hash: string,
): Promise<Lookup> {
  const faults: unknown[] = []
  const answers = await Promise.all(
    chains.map((chain) =>
      chain.findUserOperation(hash).catch((fault: unknown) => {
        faults.push(fault)
        return null
      }),
    ),
  )
  const found = answers.find((answer) => answer !== null)
  if (found) return { found }
  if (faults.length > 0) throw faults[0]
  return { found: null }
}

function toOutput(userOpHash: string, found: MinedUserOperation | null) {
  if (!found)
    return {
      status: 'pending',
      userOpHash,
      sender: null,
      transaction_hash: null,
      nonce: null,
    } as const
  const { sender, transactionHash: transaction_hash, nonce, succeeded } = found
  const status = succeeded ? ('success' as const) : ('failed' as const)
  return { status, userOpHash, sender, transaction_hash, nonce }
}
