import type { EventEmitter } from 'node:events'

/** A signal that follows other signals, and the function that removes its listeners from them. */
export type FollowingSignal = { signal: AbortSignal; release(): void }

/** Makes a signal that aborts when the last of these signals aborts. It is for work that several callers share. */
export function allAborted(signals: readonly AbortSignal[]): FollowingSignal {
  const sources = new Set(signals)
  const [only] = sources
  if (only && sources.size === 1) return { signal: only, release() {} }
  const controller = new AbortController()
  let pendingCount = sources.size
  const onAbort = () => {
    pendingCount -= 1
    if (pendingCount === 0) controller.abort()
  }
  for (const signal of sources) listen(signal, onAbort)
  return {
    signal: controller.signal,
    release() {
      for (const signal of sources) signal.removeEventListener('abort', onAbort)
    },
  }
}

/**
 * Makes a signal that aborts with its parent or after `ms` milliseconds (null for no timeout). Takes a seventh of the time
 * of `AbortSignal.any` with `AbortSignal.timeout` (decision 146).
 */
export function abortAfter(
  parent: AbortSignal,
  ms: number | null,
): FollowingSignal & { hasTimedOut(): boolean } {
  if (ms === null) return { signal: parent, hasTimedOut: () => false, release() {} }
  const controller = new AbortController()
  let isTimedOut = false
  const onAbort = () => controller.abort()
  const timer = setTimeout(() => {
    isTimedOut = true
    controller.abort()
  }, ms)
  listen(parent, onAbort)
  return {
    signal: controller.signal,
    hasTimedOut: () => isTimedOut,
    release() {
      clearTimeout(timer)
      parent.removeEventListener('abort', onAbort)
    },
  }
}

/** Makes a signal that aborts when a response or a socket closes. */
export function abortOnClose(emitter: EventEmitter): AbortSignal {
  const controller = new AbortController()
  emitter.once('close', () => controller.abort())
  return controller.signal
}

/** Calls a listener when a signal aborts, or at once if the signal is already aborted. */
export function listen(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}
