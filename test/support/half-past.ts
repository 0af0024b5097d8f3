const HOUR = 3_600_000

/**
 * How many milliseconds to move a clock forward to the middle of an hour, so that no hour ends during a
 * test. Never back: the database would take counts from then for expired.
 */
export function untilHalfPast(): number {
  return (1.5 * HOUR - (Date.now() % HOUR)) % HOUR
}
