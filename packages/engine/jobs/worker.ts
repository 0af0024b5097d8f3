import type { Log } from '../../../lib/runtime/log/log.ts'

/** Work that is repeated at an interval. */
export type Worker = {
  /** Resolves when the first round has ended, also with an error. */
  firstRound: Promise<void>
  /**
   * Starts a round at once, or after the one that is running, and resolves when it has ended. The work
   * itself must not wait for that.
   */
  runNow(): Promise<void>
  /** Starts no further round, and waits for the one that is running. */
  stop(): Promise<void>
}

/**
 * Runs `work` at an interval, never two rounds at once. An error is logged, and the next round tries again.
 *
 * @param intervalMs zero means never
 */
export function startWorker(
  name: string,
  intervalMs: number,
  work: () => Promise<void>,
  log: Log,
): Worker {
  if (intervalMs === 0)
    return { firstRound: Promise.resolve(), runNow: async () => {}, stop: async () => {} }
  let isStopped = false
  let wake = () => {}
  /** Resolve the promises of `runNow` when the next round has ended. */
  const first = Promise.withResolvers<void>()
  let waiting = [first.resolve]
  const ended = runRounds()

  async function runRounds() {
    while (!isStopped) {
      const interval = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, intervalMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      const resolvers = waiting
      waiting = []
      await work().catch((err: unknown) => log.error({ err, worker: name }, 'worker failed'))
      for (const resolve of resolvers) resolve()
      if (!isStopped) await interval
      else wake()
    }
    for (const resolve of waiting) resolve()
  }

  return {
    firstRound: first.promise,
    runNow: () => {
      if (isStopped) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      wake()
      return promise
    },
    stop: () => {
      isStopped = true
      wake()
      return ended
    },
  }
}
