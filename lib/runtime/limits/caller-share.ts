/** What a caller of a fair queue has of its resource, and has lately used. */
export type CallerShare = {
  running: number
  waiting: number
  /** How long the caller has had places, in milliseconds, as of `asOf`; what was before counts less and less. */
  usedMs: number
  /** How many places the caller has given back, counted in the same way. */
  turns: number
  asOf: number
}

/** After this long, half of what was used is forgotten. */
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

/** What the caller who has used the most of them has lately used, in milliseconds. */
export function mostRecentUse(shares: readonly CallerShare[], at: number): number {
  return shares.reduce((most, share) => Math.max(most, recentUse(share, at)), 0)
}

/**
 * Whether these have lately used less than those: whoever has used the most decides, and all together where that is the
 * same one. So of those who share an app, the one at the address that asks for little comes first.
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

/** What is left at this time of what counted in full when the share was last changed. */
function decay({ asOf }: CallerShare, at: number): number {
  return 0.5 ** ((at - asOf) / HALF_LIFE_MS)
}

/** How long the caller has lately kept a place. */
export function meanTurnMs({ usedMs, turns }: CallerShare): number {
  return turns === 0 ? 0 : usedMs / turns
}

/** How long those take who wait already, at the pace of the slowest of the callers whose share it is. */
export function waitingMs(shares: readonly CallerShare[]): number {
  const timeOf = (share: CallerShare) =>
    (share.waiting * meanTurnMs(share)) / Math.max(1, share.running)
  return shares.reduce((longest, share) => Math.max(longest, timeOf(share)), 0)
}
