import type { Log } from '../../../lib/runtime/log/log.ts'

/** Work that repeats at an interval. */
export type Worker = {
  /** Resolves when the first round has ended, also with an error. */
  firstRound: Promise<void>
  /**
   * Starts a round immediately, or after the running one. Resolves when the round has ended. The work itself must not wait for this
   * promise.
   */
  runNow(): Promise<void>
  /** Starts no further round, and waits for the running one. */
  stop(): Promise<void>
}

/**
 * Runs `work` at an interval, one round at a time. Logs an error; the next round tries again.
 *
 * @param intervalMs the interval; 0 for never
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
  const first = Promise.withResolvers<void>()
  /** The resolvers of the promises of `runNow`, to be called when the next round has ended. */
  let pending = [first.resolve]
  const rounds = runRounds()

  async function runRounds() {
    while (!isStopped) {
      const interval = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, intervalMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      const resolvers = pending
      pending = []
      await work().catch((err: unknown) => log.error({ err, worker: name }, 'worker failed'))
      for (const resolve of resolvers) resolve()
      if (!isStopped) await interval
      else wake()
    }
    for (const resolve of pending) resolve()
  }

  return {
    firstRound: first.promise,
    runNow: () => {
      if (isStopped) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      pending.push(resolve)
      wake()
      return promise
    },
    stop: () => {
      isStopped = true
      wake()
      return rounds
    },
  }
}
