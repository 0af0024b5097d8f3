import { LRUCache } from 'lru-cache'

/** Counts recent events, by name. */
export type RecentCounts = {
  /** Counts an event, and returns the new count. */
  add(name: string): number
  /** Returns the count; an event counts half after its half-life. */
  of(name: string): number
}

/** The most names in memory; the least recently used are forgotten first. */
const MAX_NAMES = 20_000

/** @param now a clock in milliseconds */
export function createRecentCounts(halfLifeMs: number, now: () => number): RecentCounts {
  const counts = new LRUCache<string, { count: number; updatedAt: number }>({ max: MAX_NAMES })

  function of(name: string): number {
    const entry = counts.get(name)
    return entry ? entry.count * 0.5 ** ((now() - entry.updatedAt) / halfLifeMs) : 0
  }

  return {
    of,
    add(name) {
      const count = of(name) + 1
      counts.set(name, { count, updatedAt: now() })
      return count
    },
  }
}
