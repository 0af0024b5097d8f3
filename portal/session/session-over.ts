import { useSyncExternalStore } from 'react'

/** Whether a request was refused since nobody is logged in any more. */
let isOver = false
const listeners = new Set<() => void>()

/** Notes that the session has ended, or that there is a new one. */
export function noteSessionOver(over: boolean): void {
  isOver = over
  for (const listener of listeners) listener()
}

/** Follows that from a component. */
export function useSessionOver(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOver,
  )
}
