import type { Leave } from './fair-queue.ts'

/** Takes one of somebody's places; null when all of theirs are taken. */
export type TakePlace = (whose: string) => Leave | null

/** So many places for each. A place is given back once, however often that is asked for. */
export function createPlaces(max: number): TakePlace {
  const taken = new Map<string, number>()
  return (whose) => {
    const before = taken.get(whose) ?? 0
    if (before >= max) return null
    taken.set(whose, before + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      const left = (taken.get(whose) ?? 1) - 1
      if (left > 0) taken.set(whose, left)
      else taken.delete(whose)
    }
  }
}
