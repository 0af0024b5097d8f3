import { ApiError } from '../errors.ts'

/** At most `limit` requests in a time window; `count/seconds` in the configuration. */
export type Rate = { limit: number; windowMs: number }

/** How often a key was hit in the time window that ends at `ends_at`. */
export type Hits = { key: string; ends_at: string; hits: number }

export type HitCounts = {
  /** Counts a hit; `total` is the number of hits in this window that this instance knows of, of all instances. */
  hit(key: string, windowMs: number): { total: number; endsInMs: number }
  /** Adds what is not yet in the database, and ends the timer. */
  close(): Promise<void>
}

type Options = {
  /** Adds counts to those of all instances, and returns the sums. */
  settle: (counted: Hits[]) => Promise<Hits[]>
  /** Called once when settling begins to fail, and not again before it has worked. */
  onFailure: (error: unknown) => void
  /** Milliseconds since the epoch. */
  now: () => number
  /** How long hits are gathered before they are settled. */
  intervalMs: number
  /** The largest number of counts in memory; the oldest are forgotten first. */
  maxKeys: number
}

type Count = { key: string; endsAt: number; settled: number; unsettled: number }

/**
 * Counts hits in memory, and every few hundred milliseconds settles them: adds them to the counts that all instances
 * share, and reads the sums. A hit costs no round trip, and a thousand of them cost one.
 *
 * An instance learns of the others' hits an interval and a round trip late. When settling fails, it counts alone and
 * settles later.
 */
export function createHitCounts(options: Options): HitCounts {
  const { settle, onFailure, now, intervalMs, maxKeys } = options
  const counts = new Map<string, Count>()
  const dirty = new Set<Count>()
  let timer: NodeJS.Timeout | null = null
  let failing = false

  return {
    hit(key, windowMs) {
      const endsAt = (Math.floor(now() / windowMs) + 1) * windowMs
      const count = find(key, endsAt)
      count.unsettled++
      keepAtMost(maxKeys, dirty.add(count))
      timer ??= setTimeout(() => void settleAll(), intervalMs).unref()
      return { total: count.settled + count.unsettled, endsInMs: endsAt - now() }
    },
    async close() {
      if (timer) clearTimeout(timer)
      await settleBatch().catch(() => {})
    },
  }

  function find(key: string, endsAt: number): Count {
    const id = `${endsAt} ${key}`
    const known = counts.get(id)
    if (known) return known
    const count = { key, endsAt, settled: 0, unsettled: 0 }
    keepAtMost(maxKeys, counts.set(id, count))
    return count
  }

  async function settleAll() {
    try {
      await settleBatch()
      failing = false
    } catch (error) {
      if (!failing) onFailure(error)
      failing = true
    }
    forgetEnded()
    timer = dirty.size > 0 ? setTimeout(() => void settleAll(), intervalMs).unref() : null
  }

  async function settleBatch() {
    const batch = [...dirty].map((count) => ({ count, hits: count.unsettled }))
    if (batch.length === 0) return
    dirty.clear()
    try {
      const sums = await settle(batch.map(({ count, hits }) => toHits(count, hits)))
      const settled = new Map(sums.map((sum) => [idOf(sum), sum.hits]))
      for (const { count, hits } of batch) {
        count.unsettled -= hits
        count.settled = settled.get(idOf(toHits(count, hits))) ?? count.settled + hits
      }
    } catch (error) {
      for (const { count } of batch) keepAtMost(maxKeys, dirty.add(count))
      throw error
    }
  }

  function forgetEnded() {
    for (const [id, { endsAt }] of counts) if (endsAt <= now()) counts.delete(id)
    for (const count of dirty) if (count.endsAt <= now()) dirty.delete(count)
  }
}

/**
 * Counts an event that is limited, where the event is not a request.
 *
 * @param name is part of the counted key
 * @param subject the caller who is limited
 * @throws rate_limited
 */
export type CountRate = (name: string, rate: Rate, subject: string) => void

export function createRateCounter(counts: HitCounts): CountRate {
  return (name, rate, subject) => {
    const { total, endsInMs } = counts.hit(`${name}:${subject}`, rate.windowMs)
    if (total > rate.limit)
      throw new ApiError('rate_limited', { retryAfterSeconds: Math.ceil(endsInMs / 1_000) })
  }
}

function toHits({ key, endsAt }: Count, hits: number): Hits {
  return { key, ends_at: new Date(endsAt).toISOString(), hits }
}

/** The key of a count. The database may spell the same instant in another way than we do. */
function idOf({ key, ends_at }: Hits): string {
  return `${Date.parse(ends_at)} ${key}`
}

function keepAtMost(max: number, kept: Map<unknown, unknown> | Set<unknown>) {
  if (kept.size <= max) return
  const [oldest] = kept.keys()
  kept.delete(oldest)
}
