import type { Request, Response } from 'express'
import { ApiError } from '../../lib/errors.ts'
import type { Bearer, CredentialGate, CredentialOutcome } from '../../lib/limits/credential-gate.ts'
import { fairQueue, type Leave } from '../../lib/limits/fair-queue.ts'
import type { Leaver } from '../../lib/limits/leaver.ts'
import { penalties } from '../../lib/limits/penalties.ts'
import { callerAddress } from '../../lib/limits/rate-limiter.ts'
import { hashToken } from '../../lib/secrets/secret.ts'
import { unreadAnswers } from './unread-answers.ts'

/** Decides whose GraphQL requests are passed on, and whose wait. */
export type GraphqlShare = {
  /**
   * Waits until a request of these credentials may be passed on.
   *
   * @throws rate_limited when too many wait, or the turn does not come in time
   */
  enter(request: Request, leaver: Leaver): Promise<Leave>
  /** Tells what Hasura said to the request's credentials: unknown when it was not asked. */
  settleCredentials(request: Request, outcome: CredentialOutcome): void
  /** Notes that the request is refused, and lets who is refused again and again wait for the answer. */
  delayRefusal(request: Request, signal: AbortSignal): Promise<void>
  /** Notes that an answer of so many bytes is on its way; too much that is left unread is cut off. */
  countAnswer(request: Request, response: Response, bytes: number): void
}

/** @param concurrency how many requests this instance passes on at a time */
export function graphqlShare(concurrency: number, gate: CredentialGate): GraphqlShare {
  const queue = fairQueue({
    places: concurrency,
    placesPerCaller: Math.ceil(concurrency * 0.75),
    placesForHeavy: Math.ceil(concurrency / 2),
    maxWaiting: concurrency * 64,
    maxWaitingPerCaller: concurrency * 8,
    maxWaitMs: 2_000,
  })
  const { wait } = penalties()
  const unread = unreadAnswers({ maxBytes: 256_000_000, maxBytesPerCaller: 64_000_000 })
  return {
    async enter(request, leaver) {
      try {
        const leaveGate = await gate.enter(bearerOf(request), leaver)
        const leave = await queue.enter([callerOf(request)], { leaver }).catch((cause: unknown) => {
          leaveGate()
          throw cause
        })
        return () => {
          leave()
          leaveGate()
        }
      } catch (cause) {
        throw new ApiError('rate_limited', { cause })
      }
    },
    settleCredentials: (request, outcome) => gate.settle(bearerOf(request), outcome),
    delayRefusal: (request, signal) => wait(callerOf(request), signal),
    countAnswer: (request, response, bytes) => unread.count(callerOf(request), response, bytes),
  }
}

function bearerOf(request: Request): Bearer {
  return {
    address: callerAddress(request),
    credentials: request.headers.authorization ?? '',
  }
}

function callerOf({ headers: { authorization = '' } }: Request): string {
  return hashToken(authorization)
}
