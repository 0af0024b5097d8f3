/** The share of a caller in the resource of a fair queue: the places of now, and the recent use. */
export type CallerShare = {
  running: number
  waiting: number
  /** How long the caller has had places, in milliseconds, as of `asOf`; earlier use counts less and less. */
  usedMs: number
  /** The number of places that the caller has given back, counted in the same way. */
  turns: number
  asOf: number
}

/** After this time, half of the use is forgotten. */
const HALF_LIFE_MS = 10_000

export function unusedShare(at: number): CallerShare {
  return { running: 0, waiting: 0, usedMs: 0, turns: 0, asOf: at }
}

/** Counts a place that the caller had for so long until now. */
export function countTurn(share: CallerShare, tookMs: number, at: number): void {
  share.usedMs = recentUse(share, at) + tookMs
  share.turns = share.turns * decay(share, at) + 1
  share.asOf = at
}

/** Returns the recent use, in milliseconds, of the heaviest of these callers. */
export function mostRecentUse(shares: readonly CallerShare[], at: number): number {
  return shares.reduce((most, share) => Math.max(most, recentUse(share, at)), 0)
}

/**
 * Whether these callers have lately used less than those. The heaviest caller of each group decides; where both groups
 * have the same heaviest caller, the sum decides. So of two callers of one app, the address that sends little comes first.
 */
export function haveUsedLess(
  these: readonly CallerShare[],
  those: readonly CallerShare[],
  at: number,
): boolean {
  const difference = mostRecentUse(these, at) - mostRecentUse(those, at)
  return difference === 0 ? totalUse(these, at) < totalUse(those, at) : difference < 0
}

function totalUse(shares: readonly CallerShare[], at: number): number {
  return shares.reduce((total, share) => total + recentUse(share, at), 0)
}

function recentUse(share: CallerShare, at: number): number {
  return share.usedMs * decay(share, at)
}

/** Returns the part that still counts of the use at the last change of the share. */
function decay({ asOf }: CallerShare, at: number): number {
  return 0.5 ** ((at - asOf) / HALF_LIFE_MS)
}

/** Returns how long the caller has lately kept a place. */
export function meanTurnMs({ usedMs, turns }: CallerShare): number {
  return turns === 0 ? 0 : usedMs / turns
}

/** Returns how long the waiting requests of these callers take, at the pace of the slowest caller. */
export function waitingMs(shares: readonly CallerShare[]): number {
  const timeOf = (share: CallerShare) =>
    (share.waiting * meanTurnMs(share)) / Math.max(1, share.running)
  return shares.reduce((longest, share) => Math.max(longest, timeOf(share)), 0)
}
