import type { Log } from '../../lib/telemetry/log.ts'

/** Work that is repeated at intervals. */
export type Worker = {
  /** Starts a round now; resolves when it is over, so the work itself must not await it. */
  runNow(): Promise<void>
  /** Starts nothing more and waits for what is running. */
  stop(): Promise<void>
}

/**
 * Runs `work` every `everyMs` milliseconds, never twice at once; a failure is logged, and the next round tries again.
 *
 * @param everyMs zero means never
 */
export function startWorker(
  name: string,
  everyMs: number,
  work: () => Promise<void>,
  log: Log,
): Worker {
  if (everyMs === 0) return { runNow: async () => {}, stop: async () => {} }
  let stopped = false
  let wake = () => {}
  let waiting: (() => void)[] = []
  const done = rounds()

  async function rounds() {
    while (!stopped) {
      const pause = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, everyMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      const told = waiting
      waiting = []
      await work().catch((err: unknown) => log.error({ err, worker: name }, 'worker failed'))
      for (const tell of told) tell()
      if (!stopped) await pause
      else wake()
    }
    for (const tell of waiting) tell()
  }

  return {
    runNow: () => {
      if (stopped) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      wake()
      return promise
    },
    stop: () => {
      stopped = true
      wake()
      return done
    },
  }
}
