import { LRUCache } from 'lru-cache'
import { ApiError } from '../../runtime/errors.ts'
import type { FairQueue } from '../../runtime/limits/fair-queue.ts'

/** The source of a fact: a cached fact, a running query of another caller, or a new query to the chain. */
export type FactSource = (typeof SOURCES)[number]

/** The sources of facts. */
export const SOURCES = ['memory', 'under_way', 'chain'] as const

/**
 * Looks up a fact by its name.
 *
 * @param query asks the chain
 * @param callers the callers that share the chain fairly
 * @throws unavailable when the chain does not answer, or when too many callers wait for it
 */
export type SharedLookup<Fact> = (
  name: string,
  query: () => Promise<Fact>,
  callers: readonly string[],
) => Promise<Fact>

type Options<Fact> = {
  /** False for absent facts, such as an unknown root, which may appear at any moment. By default every fact is present. */
  isPresent?: (fact: Fact) => boolean
  /** How long a present fact is cached. */
  lifetimeSeconds: number
  /** How long an absent fact is cached; by default not at all. */
  absentLifetimeSeconds?: number
  /** The most cached facts, present and absent ones each; the least recently used are dropped first. */
  maxEntries: number
  /** Seconds since the epoch. */
  now: () => number
  /** The queue in which lookups wait for the chain. */
  turns: Pick<FairQueue, 'enter'>
  /** Counts a lookup. */
  count?: (source: FactSource) => void
}

/**
 * Creates a lookup that caches facts. Concurrent lookups of a fact share a query to the chain. Absent facts have a separate
 * cache, so that a caller who invents names does not displace the present facts of other callers.
 *
 * A failed query is not cached; it fails for every caller that waits for it.
 */
export function createSharedLookup<Fact extends NonNullable<unknown> | null>({
  isPresent = () => true,
  lifetimeSeconds,
  absentLifetimeSeconds = 0,
  maxEntries,
  now,
  turns,
  count = () => {},
}: Options<Fact>): SharedLookup<Fact> {
  const createCache = (seconds: number) =>
    new LRUCache<string, { fact: Fact }>({
      max: maxEntries,
      ttl: seconds * 1_000,
      ttlResolution: 0,
      perf: { now: () => now() * 1_000 },
    })
  const presentFacts = createCache(lifetimeSeconds)
  const absentFacts = absentLifetimeSeconds > 0 ? createCache(absentLifetimeSeconds) : null
  const findCached = (name: string) => presentFacts.get(name) ?? absentFacts?.get(name)
  const pending = new Map<string, Promise<Fact>>()

  return async (name, query, callers) => {
    const cached = findCached(name)
    if (cached) {
      count('memory')
      return cached.fact
    }
    count(pending.has(name) ? 'under_way' : 'chain')
    return pending.get(name) ?? queryInTurn(name, query, callers)
  }

  /** Shares a running query, but not another caller's wait in the queue, because that wait may be longer. */
  async function queryInTurn(name: string, query: () => Promise<Fact>, callers: readonly string[]) {
    const leave = await turns.enter(callers).catch(throwUnavailable)
    try {
      const cached = findCached(name)
      return cached ? cached.fact : await (pending.get(name) ?? share(name, query))
    } finally {
      leave()
    }
  }

  function share(name: string, query: () => Promise<Fact>): Promise<Fact> {
    const sharedQuery = query()
      .catch(throwUnavailable)
      .then((fact) => remember(name, fact))
      .finally(() => pending.delete(name))
    pending.set(name, sharedQuery)
    return sharedQuery
  }

  function remember(name: string, fact: Fact): Fact {
    const cache = isPresent(fact) ? presentFacts : absentFacts
    cache?.set(name, { fact })
    return fact
  }
}

/**
 * Throws the same error for an unreachable chain and for a full queue, because the client may retry later in both
 * cases.
 */
function throwUnavailable(cause: unknown): never {
  throw new ApiError('unavailable', { cause })
}
