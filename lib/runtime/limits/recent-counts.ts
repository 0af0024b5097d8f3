import { LRUCache } from 'lru-cache'

/** Counts recent events, by name. */
export type RecentCounts = {
  /** Counts an event, and returns the count with it. */
  add(name: string): number
  /** Returns the count: an event that is one half-life old counts half. */
  of(name: string): number
}

/** The number of names that are remembered; the names that were counted longest ago are forgotten first. */
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
