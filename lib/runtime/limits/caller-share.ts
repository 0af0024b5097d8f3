/** A caller's share of the resource of a fair queue: the current places and the recent use. */
export type CallerShare = {
  runningCount: number
  waitingCount: number
  /** The time for which the caller has had places, in ms, as of `updatedAt`. Older use counts less. */
  usedMs: number
  /** The number of places that the caller has returned. Older turns count less. */
  turns: number
  updatedAt: number
}

/** After this time, a use counts half. */
const HALF_LIFE_MS = 10_000

export function unusedShare(time: number): CallerShare {
  return { runningCount: 0, waitingCount: 0, usedMs: 0, turns: 0, updatedAt: time }
}

/** Counts a place that the caller had for `tookMs`, until `time`. */
export function countTurn(share: CallerShare, tookMs: number, time: number): void {
  share.usedMs = recentUse(share, time) + tookMs
  share.turns = share.turns * decay(share, time) + 1
  share.updatedAt = time
}

/** Returns the recent use, in milliseconds, of the heaviest of these callers. */
export function mostRecentUse(shares: readonly CallerShare[], time: number): number {
  return shares.reduce((highest, share) => Math.max(highest, recentUse(share, time)), 0)
}

/**
 * True if the first group of callers has recently used less than the second. The heaviest caller of each group decides.
 * If both groups have the same heaviest caller, the sum decides: of two addresses of the same app, the lighter address
 * comes first.
 */
export function haveUsedLess(
  first: readonly CallerShare[],
  second: readonly CallerShare[],
  time: number,
): boolean {
  const difference = mostRecentUse(first, time) - mostRecentUse(second, time)
  return difference === 0 ? totalUse(first, time) < totalUse(second, time) : difference < 0
}

function totalUse(shares: readonly CallerShare[], time: number): number {
  return shares.reduce((total, share) => total + recentUse(share, time), 0)
}

function recentUse(share: CallerShare, time: number): number {
  return share.usedMs * decay(share, time)
}

/** Returns the factor, from 0 to 1, by which a share has decayed since its last change. */
function decay({ updatedAt }: CallerShare, time: number): number {
  return 0.5 ** ((time - updatedAt) / HALF_LIFE_MS)
}

/** Returns the recent mean time for which the caller kept a place. */
export function meanTurnMs({ usedMs, turns }: CallerShare): number {
  return turns === 0 ? 0 : usedMs / turns
}

/** Estimates how long the waiting requests of these callers will take; the slowest caller decides. */
export function waitingMs(shares: readonly CallerShare[]): number {
  const timeOf = (share: CallerShare) =>
    (share.waitingCount * meanTurnMs(share)) / Math.max(1, share.runningCount)
  return shares.reduce((longest, share) => Math.max(longest, timeOf(share)), 0)
}
