const HOUR = 3_600_000

/**
 * Returns the milliseconds until the middle of an hour. A test moves its clock forward by them, so that no hour ends during the
 * test. A clock in the past would make the database delete counts as expired.
 */
export function millisToMiddleOfHour(): number {
  return (1.5 * HOUR - (Date.now() % HOUR)) % HOUR
}
