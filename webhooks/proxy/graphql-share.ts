import type { Request, Response } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import type {
  Bearer,
  CredentialGate,
  CredentialOutcome,
} from '../../lib/runtime/limits/credential-gate.ts'
import { createFairQueue, type Leave } from '../../lib/runtime/limits/fair-queue.ts'
import { createPenalties } from '../../lib/runtime/limits/penalties.ts'
import { callerAddress } from '../../lib/runtime/limits/rate-limiter.ts'
import type { CallerNames } from '../credentials/caller-names.ts'
import { createUnreadAnswers } from './unread-answers.ts'

/** Decides which GraphQL requests are forwarded now, and which must wait. */
export type GraphqlShare = {
  /**
   * Waits until a request of this caller may be forwarded.
   *
   * @throws rate_limited if too many requests wait, or the wait takes too long
   */
  enter(exchange: { request: Request; response: Response }, signal: AbortSignal): Promise<Leave>
  /** Records if Hasura accepted the request's credentials; `unknown` if Hasura was not called. */
  settleCredentials(request: Request, outcome: CredentialOutcome): void
  /** Records a refusal, and delays the response to a caller that is refused repeatedly. */
  delayRefusal(request: Request, signal: AbortSignal): Promise<void>
  /** Counts the bytes of a response until the response is sent. Closes responses if too many bytes are unread. */
  countAnswer(request: Request, response: Response, bytes: number): void
}

type ShareOptions = {
  /** How many requests this instance forwards at a time. */
  concurrency: number
  gate: CredentialGate
  callers: CallerNames
}

export function createGraphqlShare({ concurrency, gate, callers }: ShareOptions): GraphqlShare {
  const queue = createFairQueue({
    places: concurrency,
    placesPerCaller: Math.ceil(concurrency * 0.75),
    placesForHeavy: Math.ceil(concurrency / 2),
    maxWaiting: concurrency * 64,
    maxWaitingPerCaller: concurrency * 8,
    maxWaitMs: 2_000,
  })
  const { wait } = createPenalties()
  const unread = createUnreadAnswers({ maxBytes: 256_000_000, maxBytesPerCaller: 64_000_000 })
  return {
    async enter({ request, response }, signal) {
      try {
        const leaveGate = await gate.enter(bearerOf(request), signal)
        const { requestId } = requestContext.get(response)
        const headers = { 'x-request-id': requestId }
        const caller = await callers.identify(request.headers.authorization, headers)
        const leave = await queue.enter([caller], { signal }).catch((cause: unknown) => {
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

  function callerOf({ headers: { authorization } }: Request): string {
    return callers.nameOf(authorization)
  }
}

function bearerOf(request: Request): Bearer {
  return {
    address: callerAddress(request),
    credentials: request.headers.authorization ?? '',
  }
}
