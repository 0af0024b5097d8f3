import type { Request, Response } from 'express'
import { ApiError } from '../errors.ts'
import { TooBusy } from '../too-busy.ts'
import { abortOnClose } from './abort-signals.ts'
import { createPenalties } from './penalties.ts'
import { callerAddress } from './rate-limiter.ts'

type Refusal = { error: ApiError; request: Request; response: Response }

/**
 * Creates the function that delays refusals (429, 503) to an address that is refused repeatedly. Without a delay, a client
 * that retries at once would keep the server busy.
 */
export function createRefusalDelay(): (refusal: Refusal) => Promise<void> {
  const { wait } = createPenalties()
  return async ({ error, request, response }) => {
    if (!isOverloadError(error)) return
    await wait(callerAddress(request), abortOnClose(response))
  }
}

/** True if the error reports an exceeded rate limit or a full queue. */
export function isOverloadError(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  return error.code === 'rate_limited' || error.cause instanceof TooBusy
}
