import type { Leave } from './fair-queue.ts'

/** Takes one of a caller's places; null when all of the caller's places are taken. */
export type TakePlace = (caller: string) => Leave | null

/** Creates a number of places for each caller. Giving a place back twice counts once. */
export function createPlaces(max: number): TakePlace {
  const taken = new Map<string, number>()
  return (caller) => {
    const before = taken.get(caller) ?? 0
    if (before >= max) return null
    taken.set(caller, before + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      const left = (taken.get(caller) ?? 1) - 1
      if (left > 0) taken.set(caller, left)
      else taken.delete(caller)
    }
  }
}
