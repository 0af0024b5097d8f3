import { LRUCache } from 'lru-cache'
import { Counter, type Registry } from 'prom-client'
import type { GroupContract, RootRecord } from '../../chain/group-contract.ts'
import { ApiError } from '../../runtime/errors.ts'
import { createFairQueue, type FairQueue } from '../../runtime/limits/fair-queue.ts'
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

/**
 * Creates the lookup, which caches the records of roots. Concurrent lookups of a root share a query to the chain.
 *
 * An unknown root is not cached, because it may be published at any moment. A failed query is not cached either; it
 * fails for every caller that waits for it.
 */
export function createRootLookup(options: Options): RootLookup {
  const { addresses, contract, registry, now, maxEntries = 10_000 } = options
  const { turns = createFairQueue(CHAIN_QUERIES) } = options
  const lookups = countLookups(registry)
  const cache = new LRUCache<string, RootRecord>({
    max: maxEntries,
    ttl: RECORD_LIFETIME_SECONDS * 1_000,
    ttlResolution: 0,
    perf: { now: () => now() * 1_000 },
  })
  const pending = new Map<string, Promise<RootRecord>>()

  return {
    async find(group, root, callers) {
      const name = nameOf(group, root)
      const record = cache.get(name)
      if (record) {
        lookups.inc({ answer: 'memory' })
        return record
      }
      lookups.inc({ answer: pending.has(name) ? 'under_way' : 'chain' })
      return pending.get(name) ?? queryInTurn(group, root, callers)
    },
  }

  /** Shares a running query, but not another caller's wait in the queue, because that wait may be longer. */
  async function queryInTurn(group: string, root: bigint, callers: readonly string[]) {
    const name = nameOf(group, root)
    const leave = await turns.enter(callers).catch(throwUnavailable)
    try {
      return cache.get(name) ?? (await (pending.get(name) ?? share(name, queryChain(group, root))))
    } finally {
      leave()
    }
  }

  async function queryChain(group: string, root: bigint): Promise<RootRecord> {
    try {
      return await contract.queryRoot(await addresses.find(group), root)
    } catch (cause) {
      return throwUnavailable(cause)
    }
  }

  function share(name: string, query: Promise<RootRecord>): Promise<RootRecord> {
    const sharedQuery = query
      .then((root) => remember(name, root))
      .finally(() => pending.delete(name))
    pending.set(name, sharedQuery)
    return sharedQuery
  }

  function remember(name: string, root: RootRecord): RootRecord {
    if (root.isKnown) cache.set(name, root)
    return root
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

/**
 * Throws the same error for an unreachable chain and for a full queue, because the client may retry later in both
 * cases.
 */
function throwUnavailable(cause: unknown): never {
  throw new ApiError('unavailable', { cause })
}
