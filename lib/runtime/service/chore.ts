import type { Log } from '../log/log.ts'

type Chore = {
  /** Names the chore in the log. */
  name: string
  everyMs: number
  run(): Promise<void>
  log: Log
}

/** Runs a chore every `everyMs`; skips a run while the previous run has not ended. Logs a failure and continues. */
export function startChore({ name, everyMs, run, log }: Chore): { stop: () => void } {
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    run()
      .catch((err: unknown) => log.warn({ err, chore: name }, 'a chore failed'))
      .finally(() => {
        isRunning = false
      })
  }, everyMs).unref()
  return { stop: () => clearInterval(timer) }
}
