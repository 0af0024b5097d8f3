/** The request to end this process: Ctrl-C, another signal, or the end of its parent process. */
export type Ending = {
  /** Resolves when the request arrives. */
  request: Promise<void>
  /** True if the request has arrived, also if the process was too busy to handle it. */
  hasArrived(): Promise<boolean>
}

/** Listens for requests to end this process. Because of the listeners, Node no longer ends the process at a signal. */
export function listenForEnding(): Ending {
  let hasArrived = false
  const request = new Promise<void>((resolve) => {
    for (const event of ['SIGTERM', 'SIGINT', 'disconnect'])
      process.on(event, () => {
        hasArrived = true
        resolve()
      })
  })
  return {
    request,
    async hasArrived() {
      // A signal that arrived while the process was busy is delivered with the next events.
      for (const _ of [1, 2]) await nextEvents()
      return hasArrived
    },
  }
}

function nextEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
