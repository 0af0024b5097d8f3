const HOUR = 3_600_000

/**
 * How many milliseconds a clock is moved forward to stand half an hour from the ends of its hour, so that
 * none ends while a test looks. Never back: the database would take what is counted then for over.
 */
export function untilHalfPast(): number {
  return (1.5 * HOUR - (Date.now() % HOUR)) % HOUR
}
