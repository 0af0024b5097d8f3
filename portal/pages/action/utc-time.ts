const SHORT = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

/** Returns a time in UTC with seconds, such as `Nov 28, 2026, 18:05:09`. */
export function utcTime(at: string): string {
  return SHORT.format(new Date(at))
}
