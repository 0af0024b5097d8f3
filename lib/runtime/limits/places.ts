import type { Leave } from './fair-queue.ts'

/** Takes a place of the caller; returns null if all places of the caller are taken. */
export type TakePlace = (caller: string) => Leave | null

/** Creates `max` places for each caller. Returning a place twice has no further effect. */
export function createPlaces(max: number): TakePlace {
  const counts = new Map<string, number>()
  return (caller) => {
    const before = counts.get(caller) ?? 0
    if (before >= max) return null
    counts.set(caller, before + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      const after = (counts.get(caller) ?? 1) - 1
      if (after > 0) counts.set(caller, after)
      else counts.delete(caller)
    }
  }
}
