import { ApiError } from '../errors.ts'

/** A limit of requests in a time window; written `count/seconds` in the configuration. */
export type Rate = { limit: number; windowMs: number }

/** The hits of a key in the time window that ends at `ends_at`. */
export type Hits = { key: string; ends_at: string; hits: number }

export type HitCounts = {
  /** Counts a hit. `total` is the hits of all instances in this window, as far as this instance knows. */
  hit(key: string, windowMs: number): { total: number; endsInMs: number }
  /** Stops the timer, and settles the remaining hits. Ignores a failure. */
  close(): Promise<void>
}

type Options = {
  /** Adds the hits to the shared counts of all instances, and returns the new sums. */
  settle: (hits: Hits[]) => Promise<Hits[]>
  /** Called at the first failure to settle, and again only after a success. */
  onFailure: (error: unknown) => void
  /** Milliseconds since the epoch. */
  now: () => number
  /** How long hits are gathered before they are settled. */
  intervalMs: number
  /** The most counts in memory; the oldest are forgotten first. */
  maxKeys: number
}

type Count = { key: string; endsAt: number; settledHits: number; unsettledHits: number }

/**
 * Counts hits in memory, and settles them every `intervalMs`: adds them to the shared counts of all instances, and
 * reads the sums. A thousand hits cost a single round trip.
 *
 * An instance sees the hits of other instances an interval and a round trip late. If settling fails, the instance
 * learns no further hits of other instances. It settles its own hits later, unless their time window has ended.
 */
export function createHitCounts(options: Options): HitCounts {
  const { settle, onFailure, now, intervalMs, maxKeys } = options
  const counts = new Map<string, Count>()
  const dirty = new Set<Count>()
  let timer: NodeJS.Timeout | null = null
  let isFailing = false

  return {
    hit(key, windowMs) {
      const endsAt = (Math.floor(now() / windowMs) + 1) * windowMs
      const count = findCount(key, endsAt)
      count.unsettledHits++
      keepAtMost(maxKeys, dirty.add(count))
      timer ??= setTimeout(() => void settleAll(), intervalMs).unref()
      return { total: count.settledHits + count.unsettledHits, endsInMs: endsAt - now() }
    },
    async close() {
      if (timer) clearTimeout(timer)
      await settleBatch().catch(() => {})
    },
  }

  function findCount(key: string, endsAt: number): Count {
    const id = `${endsAt} ${key}`
    const knownCount = counts.get(id)
    if (knownCount) return knownCount
    const count = { key, endsAt, settledHits: 0, unsettledHits: 0 }
    keepAtMost(maxKeys, counts.set(id, count))
    return count
  }

  async function settleAll() {
    try {
      await settleBatch()
      isFailing = false
    } catch (error) {
      if (!isFailing) onFailure(error)
      isFailing = true
    }
    forgetEnded()
    timer = dirty.size > 0 ? setTimeout(() => void settleAll(), intervalMs).unref() : null
  }

  async function settleBatch() {
    const batch = [...dirty].map((count) => ({ count, hits: count.unsettledHits }))
    if (batch.length === 0) return
    dirty.clear()
    try {
      const sums = await settle(batch.map(({ count, hits }) => toHits(count, hits)))
      const sumsById = new Map(sums.map((sum) => [idOf(sum), sum.hits]))
      for (const { count, hits } of batch) {
        count.unsettledHits -= hits
        count.settledHits = sumsById.get(idOf(toHits(count, hits))) ?? count.settledHits + hits
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
 * Counts an event that has a rate limit but is not a request.
 *
 * @param name the name of the limit, part of the key
 * @param subject the limited caller
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

/** Returns the key of a count. Parses the time, since the database may write the same instant in another format. */
function idOf({ key, ends_at }: Hits): string {
  return `${Date.parse(ends_at)} ${key}`
}

function keepAtMost(max: number, entries: Map<unknown, unknown> | Set<unknown>) {
  if (entries.size <= max) return
  const [oldest] = entries.keys()
  entries.delete(oldest)
}
