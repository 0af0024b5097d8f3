import type { Request, Response } from 'express'
import { ApiError } from '../errors.ts'
import { TooBusy } from '../too-busy.ts'
import { abortOnClose } from './abort-signals.ts'
import { createPenalties } from './penalties.ts'
import { callerAddress } from './rate-limiter.ts'

type Refusal = { error: ApiError; request: Request; response: Response }

/**
 * Creates the delay of refusals: an address that is refused repeatedly waits for each refusal. Otherwise a flood of
 * requests that are refused at once would keep the server busy, and other callers waiting.
 */
export function createRefusalDelay(): (refusal: Refusal) => Promise<void> {
  const { wait } = createPenalties()
  return async ({ error, request, response }) => {
    if (!isToldToComeBack(error)) return
    await wait(callerAddress(request), abortOnClose(response))
  }
}

/** Whether the caller has asked for more than their share. */
export function isToldToComeBack(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  return error.code === 'rate_limited' || error.cause instanceof TooBusy
}
