import type { Log } from '../../lib/log.ts'

/** Work that comes round again and again. */
export type Worker = {
  /** Does not wait for the time to come round. */
  nudge(): void
  /** Starts nothing more and waits for what is running. */
  stop(): Promise<void>
}

/**
 * Runs `work` every so often, never two at once; a failure is logged and the next round tries again.
 *
 * @param everyMs zero means never
 */
export function worker(name: string, everyMs: number, work: () => Promise<void>, log: Log): Worker {
  if (everyMs === 0) return { nudge: () => {}, stop: async () => {} }
  let stopped = false
  let wake = () => {}
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
      await work().catch((err: unknown) => log.error({ err, worker: name }, 'worker failed'))
      if (!stopped) await pause
      else wake()
    }
  }

  return {
    nudge: () => wake(),
    stop: () => {
      stopped = true
      wake()
      return done
    },
  }
}
