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
 * Decides whose requests run, and whose wait. Requests with the admin secret never wait, and no request does where callers
 * have no connections of their own (`callerConnections`).
 */
export type Admission = {
  /** @throws rate-limit-exceeded when too many wait, or the turn does not come in time */
  enter(session: Session, signal: AbortSignal): Promise<Leave>
  /** For work that callers share: the one of them who has used the most decides, and it is never refused. */
  enterShared(callers: Iterable<string | null>, signal: AbortSignal): Promise<Leave>
  /**
   * Runs work that only computes, when the event loop has time for the caller.
   *
   * @throws timeout when the caller goes away before its turn, and whatever `work` throws
   */
  compute<T>(session: Session, signal: AbortSignal, work: () => T): Promise<T>
}

/** @param connections how many of the database's connections callers have */
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
      const bounded = [...callers].filter((caller) => caller !== null)
      if (bounded.length === 0 || !isBounded) return LEAVE_NOTHING
      return queue.enter(bounded, { signal, isPatient: true }).catch(refuse)
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
  throw new EngineError('timeout', 'the caller went away before its turn', { cause })
}

function refuse(cause: unknown): never {
  if (cause instanceof Gone) refuseGone(cause)
  const message = 'too many requests of this caller at once: wait, then try again'
  const retryAfterSeconds = cause instanceof TooBusy ? cause.retryAfterSeconds : 1
  throw new EngineError('rate-limit-exceeded', message, { retryAfterSeconds, cause })
}
