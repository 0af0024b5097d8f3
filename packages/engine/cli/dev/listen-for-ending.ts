/** What tells this process to end: Ctrl-C, a signal, or the end of its parent. */
export type Ending = {
  /** Resolves when it is told. */
  told: Promise<void>
  /** Whether it was told by now, also if that was while it did not listen. */
  isTold(): Promise<boolean>
}

/** Listens for what tells this process to end, which then does not end by itself. */
export function listenForEnding(): Ending {
  let isTold = false
  const told = new Promise<void>((resolve) => {
    for (const event of ['SIGTERM', 'SIGINT', 'disconnect'])
      process.on(event, () => {
        isTold = true
        resolve()
      })
  })
  return {
    told,
    async isTold() {
      // What came while this process was busy is delivered with the next events.
      for (const _ of [1, 2]) await nextEvents()
      return isTold
    },
  }
}

function nextEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
