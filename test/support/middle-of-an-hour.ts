const HOUR = 3_600_000

/**
 * How many milliseconds to move a clock forward to reach the middle of an hour, so that no hour ends during a test. The
 * clock is never moved back, since the database would delete counts of the past as expired.
 */
export function millisToMiddleOfHour(): number {
  return (1.5 * HOUR - (Date.now() % HOUR)) % HOUR
}
