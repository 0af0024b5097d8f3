import { setTimeout as sleep } from 'node:timers/promises'
import { createRecentCounts } from './recent-counts.ts'

/** Lets those wait who are refused again and again: a client that asks again at once would keep a server busy saying no. */
export type Penalties = {
  /** Notes a refusal, and waits before it is told; at once for the first ones. */
  wait(caller: string, signal: AbortSignal): Promise<void>
}

/** So many refusals within some seconds happen to everybody. */
const FREE_REFUSALS = 10
const STEP_MS = 50
const MAX_WAIT_MS = 2_000
/** After this long, half of the refusals are forgotten. */
const HALF_LIFE_MS = 5_000
/** Who may wait at a time; beyond that refusals are told at once. */
const MAX_WAITING = 5_000

/** @param now a clock in milliseconds */
export function createPenalties(now = () => performance.now()): Penalties {
  const refusals = createRecentCounts(HALF_LIFE_MS, now)
  let waiting = 0

  return {
    async wait(caller, signal) {
      const beyond = refusals.add(caller) - FREE_REFUSALS
      if (beyond <= 0 || waiting >= MAX_WAITING) return
      waiting += 1
      await sleep(Math.min(MAX_WAIT_MS, beyond * STEP_MS), null, { signal }).catch(() => {})
      waiting -= 1
    },
  }
}
