import { createFairQueue } from './fair-queue.ts'

/** Divides the time of the event loop between callers whose work computes for milliseconds. */
export type LoopShare = {
  /**
   * Runs `work` in a turn of the event loop: at once if this turn has time left, else in a later turn. The caller that has
   * used the least time lately comes first.
   *
   * @throws Gone when `signal` is aborted before the turn, and whatever `work` throws
   */
  run<T>(caller: string, work: () => T, signal?: AbortSignal): Promise<T>
}

/** Work begins in a turn until the turn has taken this long. Timers and sockets are served after that. */
const TURN_MS = 2

export function createLoopShare(): LoopShare {
  const queue = createFairQueue(ONE_AT_A_TIME)
  let usedMs = 0
  let isTurnOpen = false

  return {
    async run(caller, work, signal) {
      const leave = await queue.enter([caller], { signal, isPatient: true })
      openTurn()
      const began = performance.now()
      try {
        return work()
      } finally {
        usedMs += performance.now() - began
        if (usedMs < TURN_MS) leave()
        else setImmediate(leave)
      }
    },
  }

  /** Counts from zero again in the next turn of the event loop. */
  function openTurn() {
    if (isTurnOpen) return
    isTurnOpen = true
    setImmediate(() => {
      isTurnOpen = false
      usedMs = 0
    })
  }
}

const ONE_AT_A_TIME = {
  places: 1,
  placesPerCaller: 1,
  placesForHeavy: 1,
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitingPerCaller: Number.POSITIVE_INFINITY,
  maxWaitMs: Number.POSITIVE_INFINITY,
}
