import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

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
/** Callers whose refusals are remembered. */
const MAX_CALLERS = 20_000
/** Who may wait at a time; beyond that refusals are told at once. */
const MAX_WAITING = 5_000

/** @param now a clock in milliseconds */
export function penalties(now = () => performance.now()): Penalties {
  const refusals = new LRUCache<string, { count: number; asOf: number }>({ max: MAX_CALLERS })
  let waiting = 0

  function noteRefusal(caller: string): number {
    const at = now()
    const before = refusals.get(caller) ?? { count: 0, asOf: at }
    const count = before.count * 0.5 ** ((at - before.asOf) / HALF_LIFE_MS) + 1
    refusals.set(caller, { count, asOf: at })
    return count
  }

  return {
    async wait(caller, signal) {
      const beyond = noteRefusal(caller) - FREE_REFUSALS
      if (beyond <= 0 || waiting >= MAX_WAITING) return
      waiting += 1
      await sleep(Math.min(MAX_WAIT_MS, beyond * STEP_MS), null, { signal }).catch(() => {})
      waiting -= 1
    },
  }
}
