import { Counter, type Registry } from 'prom-client'
import type { GroupContract, RootRecord } from '../../chain/group-contract.ts'
import { createFairQueue, type FairQueue } from '../../runtime/limits/fair-queue.ts'
import { createSharedLookup } from '../lookup/shared-lookup.ts'
import type { GroupAddresses } from './group-addresses.ts'

/** Looks up Merkle roots of the groups. */
export type RootLookup = {
  /**
   * @param group the name of the group's contract
   * @param callers the callers that share the chain fairly
   * @throws unavailable when the chain does not answer, or when too many callers wait for it
   */
  find(group: string, root: bigint, callers: readonly string[]): Promise<RootRecord>
}

type Options = {
  addresses: Pick<GroupAddresses, 'find'>
  contract: Pick<GroupContract, 'queryRoot'>
  registry: Registry
  /** Seconds since the epoch. */
  now: () => number
  /** The queue in which lookups wait for the chain. */
  turns?: Pick<FairQueue, 'enter'>
  /** The most cached records; the least recently used are dropped first. */
  maxEntries?: number
}

/**
 * How long a record is cached. A root may be superseded at any time, or become the latest again after a rollback. A
 * record that is a minute old is good enough to check the root's age.
 */
const RECORD_LIFETIME_SECONDS = 60

/** The limits of concurrent lookups on the chain. A caller that sends many unknown roots waits the longest. */
const CHAIN_QUERIES = {
  places: 32,
  placesPerCaller: 12,
  placesForHeavy: 16,
  maxWaiting: 2_000,
  maxWaitingPerCaller: 300,
  maxWaitMs: 5_000,
}

/** Creates the lookup. An unknown root is not cached, because it may be published at any moment. */
export function createRootLookup(options: Options): RootLookup {
  const { addresses, contract, registry, now, maxEntries = 10_000 } = options
  const lookups = countLookups(registry)
  const lookUp = createSharedLookup<RootRecord>({
    isPresent: ({ isKnown }) => isKnown,
    lifetimeSeconds: RECORD_LIFETIME_SECONDS,
    maxEntries,
    now,
    turns: options.turns ?? createFairQueue(CHAIN_QUERIES),
    count: (answer) => lookups.inc({ answer }),
  })
  return {
    find: (group, root, callers) =>
      lookUp(
        nameOf(group, root),
        async () => contract.queryRoot(await addresses.find(group), root),
        callers,
      ),
  }
}

function nameOf(group: string, root: bigint): string {
  return `${group} ${root}`
}

function countLookups(registry: Registry) {
  return new Counter({
    name: 'root_lookups_total',
    help: 'Root lookups, by the source of the answer: `memory`, `chain`, or a query `under_way`',
    labelNames: ['answer'],
    registers: [registry],
  })
}
