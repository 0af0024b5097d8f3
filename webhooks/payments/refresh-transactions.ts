import { z } from 'zod'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { ChainReader } from './chain-reader.ts'
import { type RefreshServices, refreshLeased } from './refresh-leased.ts'

/** Transactions leased and looked for at a time; bounds what is held in memory. */
const BATCH = 500

/** No batch begins later than this after the first: Hasura's scheduler waits a minute for the answer. */
const MAX_DURATION_MS = 40_000

const counts = { mined: z.int(), failed: z.int(), pending: z.int(), unclear: z.int() }

const Refreshed = z.strictObject({
  success: z.literal(true),
  ...counts,
  unreachable: z.array(z.string()).describe('Chains that could not be reached'),
})

type Counts = { [name in keyof typeof counts]: number }

/**
 * Reads the status of all transactions that are not final from their chains.
 *
 * Each chain is read by itself, so that one that is down or slow holds up no other. Instances that do
 * this at the same time share the work: only one of them leases a transaction.
 *
 * @returns how many now have which status, and how many could not be determined
 * @throws unavailable
 */
export const refreshTransactions = jsonOperation(
  {
    tag: 'Internal',
    summary: 'Read the status of transactions from their chains',
    output: Refreshed,
    errors: ['unavailable'],
  },
  (services: RefreshServices) => async (_input: undefined, context: Context) => {
    const readers = [...services.payments.chains.values()]
    const runs = await Promise.all(readers.map((reader) => refreshChain(reader, services, context)))
    return {
      success: true,
      ...runs.reduce(addCounts, { mined: 0, failed: 0, pending: 0, unclear: 0 }),
      unreachable: runs.flatMap(({ chain, isReachable }) => (isReachable ? [] : [chain])),
    } as const
  },
)

async function refreshChain(
  reader: ChainReader,
  services: RefreshServices,
  { log, requestId }: Context,
) {
  const headers = { 'x-request-id': requestId }
  const until = performance.now() + MAX_DURATION_MS
  const chain = reader.chain.name
  let total = { mined: 0, failed: 0, pending: 0, unclear: 0, chain, isReachable: true }
  /** By the database's clock: keeps this run from leasing again what it has stored itself. */
  let before: string | null = null
  for (;;) {
    const { transactions } = await services.graphql.LeaseTransactions(
      { chain, batch: BATCH, before },
      headers,
    )
    const [first] = transactions
    if (!first) return total
    before ??= first.leased_at
    const { stored, unclear, isReachable } = await refreshLeased(reader, transactions, services, {
      log,
      headers,
    })
    total = { ...addCounts(total, { ...countStatuses(stored), unclear }), chain, isReachable }
    if (!isReachable || transactions.length < BATCH || performance.now() > until) return total
  }
}

function countStatuses(stored: readonly { transaction_status: string }[]) {
  const count = (status: string) =>
    stored.filter(({ transaction_status }) => transaction_status === status).length
  return { mined: count('mined'), failed: count('failed'), pending: count('pending') }
}

function addCounts(one: Counts, other: Counts): Counts {
  return {
    mined: one.mined + other.mined,
    failed: one.failed + other.failed,
    pending: one.pending + other.pending,
    unclear: one.unclear + other.unclear,
  }
}
