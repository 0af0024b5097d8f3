import { z } from 'zod'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { ChainReader } from './chain-reader.ts'
import { type RefreshServices, refreshLeased } from './refresh-leased.ts'

/** The number of transactions leased at a time. Bounds the memory. */
const BATCH = 500

/** No batch begins later than this after the first batch, because Hasura's scheduler waits only a minute for the response. */
const MAX_DURATION_MS = 40_000

const counts = { mined: z.int(), failed: z.int(), pending: z.int(), unclear: z.int() }

const RefreshOutput = z.strictObject({
  success: z.literal(true),
  ...counts,
  unreachable: z.array(z.string()).describe('Chains that could not be reached'),
})

type Counts = { [name in keyof typeof counts]: number }

/**
 * Reads the status of all transactions that are due from their chains, until the time is up.
 *
 * Reads the chains in parallel, so that a slow chain does not delay another chain. Concurrent instances share the work:
 * only one instance can lease a transaction.
 *
 * @returns the number of transactions with each status, and the number whose status could not be read (`unclear`)
 * @throws unavailable
 */
export const refreshTransactions = jsonOperation(
  {
    tag: 'Internal',
    summary: 'Read the status of transactions from their chains',
    output: RefreshOutput,
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
  /** The time of the first lease, by the database's clock. With it, this run does not lease the same transactions again. */
  let before: string | null = null
  for (;;) {
    const { transactions } = await services.graphql.LeaseTransactions(
      { chain, batch: BATCH, before },
      headers,
    )
    const [first] = transactions
    if (!first) return total
    before ??= first.leased_at
    const { statuses, unclear, isReachable } = await refreshLeased(reader, transactions, services, {
      log,
      headers,
    })
    total = { ...addCounts(total, { ...countStatuses(statuses), unclear }), chain, isReachable }
    if (!isReachable || transactions.length < BATCH || performance.now() > until) return total
  }
}

function countStatuses(rows: readonly { transaction_status: string }[]) {
  const count = (status: string) =>
    rows.filter(({ transaction_status }) => transaction_status === status).length
  return { mined: count('mined'), failed: count('failed'), pending: count('pending') }
}

function addCounts(a: Counts, b: Counts): Counts {
  return {
    mined: a.mined + b.mined,
    failed: a.failed + b.failed,
    pending: a.pending + b.pending,
    unclear: a.unclear + b.unclear,
  }
}
