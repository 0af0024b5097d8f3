/** How many people first verified on a day (UTC), such as `2026-11-25`. */
export type Day = { day: string; persons: number }

const DAY_MS = 86_400_000

/** The days of a period one after another, those on which nobody came included. */
export function fillDays(known: readonly Day[], from: Date, count: number): Day[] {
  const persons = new Map(known.map((day) => [day.day, day.persons]))
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(from.getTime() + index * DAY_MS).toISOString().slice(0, 10)
    return { day, persons: persons.get(day) ?? 0 }
  })
}
