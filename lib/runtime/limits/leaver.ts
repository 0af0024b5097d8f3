/** Somebody who may go away before there is an answer. */
export type Leaver = {
  /**
   * Calls `listener` when they go away; at once if they already have.
   *
   * @returns a function that removes the listener
   */
  onGone(listener: () => void): () => void
}

/** Several as one, who goes away when the last of them does; `haveGone` says whether a listener was told so. */
export function allOf(leavers: readonly Leaver[]): Leaver & { haveGone(): boolean } {
  let gone = false
  return {
    haveGone: () => gone,
    onGone(listener) {
      let left = leavers.length
      const takeBack = leavers.map((leaver) =>
        leaver.onGone(() => {
          left -= 1
          if (left > 0) return
          gone = true
          listener()
        }),
      )
      return () => {
        for (const each of takeBack) each()
      }
    },
  }
}

/** Who goes away when a signal is aborted. */
export function leaverOf(signal: AbortSignal): Leaver {
  return {
    onGone(listener) {
      if (signal.aborted) listener()
      signal.addEventListener('abort', listener, { once: true })
      return () => signal.removeEventListener('abort', listener)
    },
  }
}
