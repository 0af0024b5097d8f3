const HOUR = 3_600_000

/**
 * Returns the milliseconds until the next middle of an hour. A test moves its clock forward by this time, so that no hour ends
 * during the test. If the clock were moved back, the database would delete the counts of rate limits as expired.
 */
export function millisToMiddleOfHour(): number {
  return (1.5 * HOUR - (Date.now() % HOUR)) % HOUR
}
