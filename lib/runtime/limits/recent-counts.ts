import { LRUCache } from 'lru-cache'

/** Counts what happened lately, for each name. */
export type RecentCounts = {
  /** Counts once more. @returns how many there are with it */
  add(name: string): number
  /** How many there are: what is one half-life ago counts half. */
  of(name: string): number
}

/** Names that are remembered; those that were counted longest ago are forgotten first. */
const MAX_NAMES = 20_000

/** @param now a clock in milliseconds */
export function createRecentCounts(halfLifeMs: number, now: () => number): RecentCounts {
  const counts = new LRUCache<string, { count: number; asOf: number }>({ max: MAX_NAMES })

  function of(name: string): number {
    const known = counts.get(name)
    return known ? known.count * 0.5 ** ((now() - known.asOf) / halfLifeMs) : 0
  }

  return {
    of,
    add(name) {
      const count = of(name) + 1
      counts.set(name, { count, asOf: now() })
      return count
    },
  }
}
