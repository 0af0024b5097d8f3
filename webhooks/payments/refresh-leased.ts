import { RpcError } from '../../lib/chain/json-rpc.ts'
import type { Log } from '../../lib/runtime/log/log.ts'
import { present } from '../../lib/runtime/present.ts'
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
  /** By name. */
  chains: ReadonlyMap<string, ChainReader>
  /** An older status is read again when somebody asks for it. */
  maxAgeSeconds: number
  /** How long a transaction may be unknown to its chain before it counts as failed. */
  giveUpMs: number
}

export type Stored = StoreSightingsMutation['store_sightings'][number]

type Refreshed = {
  stored: Stored[]
  /** How many the chain gave no credible answer about. */
  unclear: number
  /** Whether the chain could be reached at all. */
  isReachable: boolean
}

type Context = { log: Log; headers: Record<string, string> }

/**
 * Looks for transactions that this process has leased on their chain, and stores what the chain says in one statement.
 *
 * Whatever the chain answers, this ends the leases. Until then no other process refreshes the transactions.
 *
 * @throws unavailable: then the leases expire automatically
 */
export async function refreshLeased(
  reader: ChainReader,
  leased: readonly LeasedTransactionFragment[],
  { graphql, payments, now }: RefreshServices,
  { log, headers }: Context,
): Promise<Refreshed> {
  const { sightings, isReachable } = await lookForAll(leased, reader, log)
  const rules = { chain: reader.chain, now: now(), giveUpMs: payments.giveUpMs }
  const verdicts = leased.map((row, i) => {
    return {
      id: row.id,
      leases: row.leases,
      ...decideVerdict(row, present(sightings[i], 'a sighting of each transaction'), rules),
    }
  })
  const { store_sightings: stored } = await graphql.StoreSightings({ sightings: verdicts }, headers)
  return { stored, unclear: logUnclear(sightings, reader, log), isReachable }
}

const NOT_SEEN: Sighting = { kind: 'unclear', why: 'The chain could not be asked.' }

async function lookForAll(
  leased: readonly LeasedTransactionFragment[],
  reader: ChainReader,
  log: Log,
) {
  try {
    return { sightings: await reader.look(leased), isReachable: true }
  } catch (fault) {
    if (!(fault instanceof RpcError)) throw fault
    log.error({ chain: reader.chain.name, reason: fault.message }, 'chain not read')
    return { sightings: leased.map(() => NOT_SEEN), isReachable: false }
  }
}

function logUnclear(sightings: readonly Sighting[], { chain }: ChainReader, log: Log): number {
  const reasons = sightings.flatMap((one) => (one.kind === 'unclear' ? [one.why] : []))
  if (reasons.length > 0)
    log.warn(
      { chain: chain.name, count: reasons.length, reasons: [...new Set(reasons)].slice(0, 5) },
      'transactions unclear',
    )
  return reasons.length
}
