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
  /** False for facts that may change at any moment, such as an unknown root. */
  isCacheable(fact: Fact): boolean
  /** How long a fact is cached. */
  lifetimeSeconds: number
  /** The most cached facts; the least recently used are dropped first. */
  maxEntries: number
  /** Seconds since the epoch. */
  now: () => number
  /** The queue in which lookups wait for the chain. */
  turns: Pick<FairQueue, 'enter'>
  /** Counts a lookup. */
  count(source: FactSource): void
}

/**
 * Creates a lookup that caches facts. Concurrent lookups of a fact share a query to the chain.
 *
 * A failed query is not cached; it fails for every caller that waits for it.
 */
export function createSharedLookup<Fact extends NonNullable<unknown> | null>({
  isCacheable,
  lifetimeSeconds,
  maxEntries,
  now,
  turns,
  count,
}: Options<Fact>): SharedLookup<Fact> {
  const cache = new LRUCache<string, { fact: Fact }>({
    max: maxEntries,
    ttl: lifetimeSeconds * 1_000,
    ttlResolution: 0,
    perf: { now: () => now() * 1_000 },
  })
  const pending = new Map<string, Promise<Fact>>()

  return async (name, query, callers) => {
    const cached = cache.get(name)
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
      const cached = cache.get(name)
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
    if (isCacheable(fact)) cache.set(name, { fact })
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
