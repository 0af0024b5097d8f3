import type { Log } from '../lib/log.ts'

/** Does a chore again and again, one at a time; a failure waits for the next time. */
export function repeat(
  everyMs: number,
  log: Log,
  chore: () => Promise<void>,
): { stop: () => void } {
  const timer = setInterval(() => {
    if (underWay) return
    underWay = true
    chore()
      .catch((err: unknown) => log.warn({ err, chore: chore.name }, 'a chore failed'))
      .finally(() => {
        underWay = false
      })
  }, everyMs).unref()
  let underWay = false
  return { stop: () => clearInterval(timer) }
}
