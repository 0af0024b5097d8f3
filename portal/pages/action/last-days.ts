const DAY_MS = 86_400_000

/** Returns the beginning of the last `count` days (UTC, with today), and their period as `action_stats` takes it. */
export function lastDays(count: number): { from: Date; period: { from: string; to: string } } {
  const tomorrow = new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS)
  const from = new Date(tomorrow.getTime() - count * DAY_MS)
  return { from, period: { from: from.toISOString(), to: tomorrow.toISOString() } }
}

/** Returns the time `count` days ago. */
export function daysAgo(count: number): string {
  return new Date(Date.now() - count * DAY_MS).toISOString()
}
