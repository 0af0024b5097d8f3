import type { Request } from 'express'
import { ApiError } from '../../lib/errors.ts'
import { fairQueue, type Leave } from '../../lib/limits/fair-queue.ts'
import type { Leaver } from '../../lib/limits/leaver.ts'
import { penalties } from '../../lib/limits/penalties.ts'
import { hashToken } from '../../lib/secrets/secret.ts'

/** Decides whose GraphQL requests are passed on, and whose wait. */
export type GraphqlShare = {
  /**
   * Waits until a request of these credentials may be passed on.
   *
   * @throws rate_limited when too many wait, or the turn does not come in time
   */
  enter(request: Request, leaver: Leaver): Promise<Leave>
  /** Notes that the request is refused, and lets who is refused again and again wait for the answer. */
  delayRefusal(request: Request, signal: AbortSignal): Promise<void>
}

/** @param concurrency how many requests this instance passes on at a time */
export function graphqlShare(concurrency: number): GraphqlShare {
  const queue = fairQueue({
    places: concurrency,
    placesPerCaller: Math.ceil(concurrency * 0.75),
    placesForHeavy: Math.ceil(concurrency / 2),
    maxWaiting: concurrency * 64,
    maxWaitingPerCaller: concurrency * 8,
    maxWaitMs: 2_000,
  })
  const { wait } = penalties()
  return {
    enter: (request, leaver) =>
      queue.enter([callerOf(request)], { leaver }).catch((cause: unknown) => {
        throw new ApiError('rate_limited', { cause })
      }),
    delayRefusal: (request, signal) => wait(callerOf(request), signal),
  }
}

function callerOf({ headers: { authorization = '' } }: Request): string {
  return hashToken(authorization)
}
