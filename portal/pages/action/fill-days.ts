/** The number of people who first verified on a day (UTC, such as `2026-11-25`). */
export type Day = { day: string; persons: number }

const DAY_MS = 86_400_000

/** Returns all days of a period in order, with 0 for days that `days` lacks. */
export function fillDays(days: readonly Day[], from: Date, count: number): Day[] {
  const persons = new Map(days.map((day) => [day.day, day.persons]))
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(from.getTime() + index * DAY_MS).toISOString().slice(0, 10)
    return { day, persons: persons.get(day) ?? 0 }
  })
}
