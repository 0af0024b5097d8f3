import {
  createFairQueue,
  type FairQueueLimits,
  Gone,
  type Leave,
} from '../../../../lib/runtime/limits/fair-queue.ts'
import { createLoopShare } from '../../../../lib/runtime/limits/loop-share.ts'
import { TooBusy } from '../../../../lib/runtime/too-busy.ts'
import type { Config } from '../../config/config.ts'
import { EngineError } from '../../errors.ts'
import type { Session } from '../../session/session.ts'
import { callerOf } from './caller.ts'

/**
 * Decides when requests run. Requests with the admin secret never wait. `enter` and `enterShared` never wait if the settings do
 * not limit the callers' connections (`callerConnections`).
 */
export type Admission = {
  /**
   * Waits until the request may run. @throws rate-limit-exceeded if too many requests wait or the wait is too long; timeout if
   * the client disconnects
   */
  enter(session: Session, signal: AbortSignal): Promise<Leave>
  /**
   * Waits until work that callers share may run. The heaviest of these callers determines the wait. Rejects only if `signal` is
   * aborted.
   */
  enterShared(callers: Iterable<string | null>, signal: AbortSignal): Promise<Leave>
  /**
   * Runs a computation once the event loop has time for the caller.
   *
   * @throws timeout if the caller disconnects first, and any error of `work`
   */
  compute<T>(session: Session, signal: AbortSignal, work: () => T): Promise<T>
}

/** @param connections the number of database connections for callers */
export function createAdmission(config: Config, connections: number): Admission {
  const queue = createFairQueue(limitsFor(connections))
  const loop = createLoopShare()
  const isBounded = Number.isFinite(config.callerConnections)
  return {
    async enter(session, signal) {
      const caller = callerOf(session, config)
      if (caller === null || !isBounded) return LEAVE_NOTHING
      return queue.enter([caller], { signal }).catch(refuse)
    },
    async enterShared(callers, signal) {
      const limitedCallers = [...callers].filter((caller) => caller !== null)
      if (limitedCallers.length === 0 || !isBounded) return LEAVE_NOTHING
      return queue.enter(limitedCallers, { signal, isPatient: true }).catch(refuse)
    },
    async compute(session, signal, work) {
      const caller = callerOf(session, config)
      if (caller === null) return work()
      return loop.run(caller, work, signal).catch(refuseGone)
    },
  }
}

const LEAVE_NOTHING: Leave = () => {}

function limitsFor(connections: number): FairQueueLimits {
  return {
    places: connections,
    placesPerCaller: Math.ceil(connections * 0.3),
    placesForHeavy: Math.ceil(connections * 0.2),
    placesForSlow: Math.ceil(connections * 0.1),
    maxWaiting: connections * 100,
    maxWaitingPerCaller: connections * 10,
    maxWaitMs: 2_000,
  }
}

function refuseGone(cause: unknown): never {
  if (!(cause instanceof Gone)) throw cause
  throw new EngineError('timeout', 'the caller disconnected before the request ran', { cause })
}

function refuse(cause: unknown): never {
  if (cause instanceof Gone) refuseGone(cause)
  const message = 'too many requests from this caller at once: retry later'
  const retryAfterSeconds = cause instanceof TooBusy ? cause.retryAfterSeconds : 1
  throw new EngineError('rate-limit-exceeded', message, { retryAfterSeconds, cause })
}
