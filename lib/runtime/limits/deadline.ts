import type { Leaver } from './leaver.ts'

/** Work that ends after a while. */
export type Deadline = Leaver & {
  hasPassed(): boolean
  /** Ends the clock. */
  stop(): void
}

/** Who goes away when the given one does, and after so many milliseconds at the latest; null for no such end. */
export function deadlineOf(leaver: Leaver, ms: number | null): Deadline {
  if (ms === null) return { onGone: leaver.onGone, hasPassed: () => false, stop: () => {} }
  const controller = new AbortController()
  const { signal } = controller
  const timer = setTimeout(() => controller.abort(), ms)
  return {
    hasPassed: () => signal.aborted,
    stop: () => clearTimeout(timer),
    onGone(listener) {
      const forget = leaver.onGone(listener)
      if (signal.aborted) listener()
      signal.addEventListener('abort', listener, { once: true })
      return () => {
        forget()
        signal.removeEventListener('abort', listener)
      }
    },
  }
}
