import { createFairQueue } from './fair-queue.ts'

/** Divides the event loop between callers with work of several milliseconds. */
export type LoopShare = {
  /**
   * Runs `work` at once if the current turn of the event loop has time left, else in a later turn. The caller with the
   * least recent use comes first.
   *
   * @throws Gone when `signal` aborts before `work` begins; also throws the errors of `work`
   */
  run<T>(caller: string, work: () => T, signal?: AbortSignal): Promise<T>
}

/** A turn starts no further work after this time, so that timers and sockets are served. */
const TURN_MS = 2

export function createLoopShare(): LoopShare {
  const queue = createFairQueue(ONE_AT_A_TIME)
  let usedMs = 0
  let isTurnOpen = false

  return {
    async run(caller, work, signal) {
      const leave = await queue.enter([caller], { signal, isPatient: true })
      openTurn()
      const startedAt = performance.now()
      try {
        return work()
      } finally {
        usedMs += performance.now() - startedAt
        if (usedMs < TURN_MS) leave()
        else setImmediate(leave)
      }
    },
  }

  /** Resets the used time in the next turn of the event loop. */
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
