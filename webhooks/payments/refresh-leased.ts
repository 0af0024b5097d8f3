import { RpcError } from '../../lib/chain/json-rpc.ts'
import type { Log } from '../../lib/runtime/log/log.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
import type { LeasedTransactionFragment, Sdk, StoreSightingsMutation } from '../generated/sdk.ts'
import type { ChainReader, Sighting } from './chain-reader.ts'
import { decideVerdict } from './verdict.ts'

export type RefreshServices = {
  graphql: Sdk
  payments: Payments
  /** Milliseconds since the epoch. */
  now: () => number
}

export type Payments = {
  /** The readers by the name of their chain. */
  chains: ReadonlyMap<string, ChainReader>
  /** A status that is older is read from the chain again when a caller requests it. */
  maxAgeSeconds: number
  /** How long a transaction may be unknown to its chain before it counts as failed. */
  giveUpMs: number
}

/** The new status of a transaction. */
export type StoredStatus = StoreSightingsMutation['store_sightings'][number]

type RefreshResult = {
  statuses: StoredStatus[]
  /** The number of transactions whose status is unclear: the chain was unreachable, or its responses were not credible. */
  unclear: number
  /** False if the chain was unreachable. */
  isReachable: boolean
}

type Context = { log: Log; headers: Record<string, string> }

/**
 * Looks on their chain for the transactions that this process has leased, and stores the results in one statement.
 *
 * The statement also ends the leases. During a lease, no other process refreshes the transaction.
 *
 * @throws unavailable; then the leases expire automatically
 */
export async function refreshLeased(
  reader: ChainReader,
  transactions: readonly LeasedTransactionFragment[],
  { graphql, payments, now }: RefreshServices,
  { log, headers }: Context,
): Promise<RefreshResult> {
  const { sightings, isReachable } = await readAllSightings(transactions, reader, log)
  const rules = { chain: reader.chain, now: now(), giveUpMs: payments.giveUpMs }
  const verdicts = transactions.map((row, i) => {
    return {
      id: row.id,
      leases: row.leases,
      ...decideVerdict(row, requireValue(sightings[i], 'the sighting of a transaction'), rules),
    }
  })
  const { store_sightings: statuses } = await graphql.StoreSightings(
    { sightings: verdicts },
    headers,
  )
  return { statuses, unclear: logUnclear(sightings, reader, log), isReachable }
}

const UNREACHABLE: Sighting = { kind: 'unclear', reason: 'The chain is unreachable.' }

async function readAllSightings(
  transactions: readonly LeasedTransactionFragment[],
  reader: ChainReader,
  log: Log,
) {
  try {
    return { sightings: await reader.readSightings(transactions), isReachable: true }
  } catch (fault) {
    if (!(fault instanceof RpcError)) throw fault
    log.error({ chain: reader.chain.name, reason: fault.message }, 'chain not read')
    return { sightings: transactions.map(() => UNREACHABLE), isReachable: false }
  }
}

function logUnclear(sightings: readonly Sighting[], { chain }: ChainReader, log: Log): number {
  const reasons = sightings.flatMap((sighting) =>
    sighting.kind === 'unclear' ? [sighting.reason] : [],
  )
  if (reasons.length > 0)
    log.warn(
      { chain: chain.name, count: reasons.length, reasons: [...new Set(reasons)].slice(0, 5) },
      'transactions unclear',
    )
  return reasons.length
}
