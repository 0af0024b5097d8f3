import { setTimeout as sleep } from 'node:timers/promises'
import { createRecentCounts } from './recent-counts.ts'

/** Delays the refusals of a caller that is refused repeatedly. */
export type Penalties = {
  /** Records a refusal, then waits until the refusal may be sent. The first refusals do not wait. */
  wait(caller: string, signal: AbortSignal): Promise<void>
}

/** A normal caller sometimes gets this many refusals within a few seconds. */
const FREE_REFUSALS = 10
const STEP_MS = 50
const MAX_WAIT_MS = 2_000
/** After this time, half of the refusals are forgotten. */
const HALF_LIFE_MS = 5_000
/** The most refusals delayed at once; further refusals are sent immediately. */
const MAX_WAITING = 5_000

/** @param now a clock in milliseconds */
export function createPenalties(now = () => performance.now()): Penalties {
  const refusals = createRecentCounts(HALF_LIFE_MS, now)
  let waitingCount = 0

  return {
    async wait(caller, signal) {
      const excess = refusals.add(caller) - FREE_REFUSALS
      if (excess <= 0 || waitingCount >= MAX_WAITING) return
      waitingCount += 1
      await sleep(Math.min(MAX_WAIT_MS, excess * STEP_MS), null, { signal }).catch(() => {})
      waitingCount -= 1
    },
  }
}
