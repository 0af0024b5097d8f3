import { useSyncExternalStore } from 'react'

/** True if a request was rejected because the session has ended. */
let isOver = false
const listeners = new Set<() => void>()

/** Records whether the session has ended. */
export function recordSessionOver(value: boolean): void {
  isOver = value
  for (const listener of listeners) listener()
}

/** Returns whether the session has ended, and re-renders the component when this changes. */
export function useSessionOver(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOver,
  )
}
