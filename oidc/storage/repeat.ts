import type { Log } from '../../lib/telemetry/log.ts'

/**
 * Runs a chore every `everyMs` milliseconds, skipping a turn while the last run is under way. A failure
 * is logged, and the chore is tried again at its next turn.
 */
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
