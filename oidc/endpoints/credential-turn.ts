import type { Request, Response } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { abortOnClose } from '../../lib/runtime/limits/abort-signals.ts'
import type { CredentialGate } from '../../lib/runtime/limits/credential-gate.ts'
import { createFairQueue, type FairQueue } from '../../lib/runtime/limits/fair-queue.ts'
import { callerAddress } from '../../lib/runtime/limits/rate-limiter.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import type { Credentials } from './credentials.ts'

export type TurnServices = {
  /** Bounds the work that wrong credentials cause. */
  gate: CredentialGate
}

/**
 * Waits until a client's credentials may be tried, and then tells by the answer whether they were right.
 *
 * @throws rate_limited when its address has shown many wrong ones, and too many wait
 */
export async function awaitCredentialTurn(
  { gate }: TurnServices,
  { clientId, secret }: Credentials,
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const bearer = { address: callerAddress(request), credentials: `${clientId}:${secret}` }
  const leave = await gate.enter(bearer, abortOnClose(response)).catch(refuseTurn)
  whenOver(response, () => {
    leave()
    const { errorCode } = requestContext.get(response)
    if (errorCode === 'unauthenticated') gate.settle(bearer, 'wrong')
    // A code is looked at only when the client's credentials were right.
    if (response.statusCode === 200 || errorCode === 'invalid_grant') gate.settle(bearer, 'right')
  })
}

/**
 * Tokens that are introspected at a time: enough to keep every connection to the database busy, and so few that whoever
 * comes next waits for a few short statements.
 */
export function createIntrospectionQueue(connections: number): FairQueue {
  const places = connections * 2
  return createFairQueue({
    places,
    placesPerCaller: Math.ceil(places * 0.75),
    placesForHeavy: Math.ceil(places / 2),
    maxWaiting: places * 32,
    // A service that checks each of its requests has many under way at a time.
    maxWaitingPerCaller: places * 16,
    maxWaitMs: 2_000,
  })
}

/**
 * Waits for a client's turn at an address: ids are public, so others could use up a client's share.
 *
 * @throws rate_limited when too many wait, or the turn does not come in time
 */
export async function awaitClientTurn(
  queue: FairQueue,
  clientId: string,
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const caller = hashToken(`${clientId} ${callerAddress(request)}`)
  const leave = await queue.enter([caller], { signal: abortOnClose(response) }).catch(refuseTurn)
  whenOver(response, leave)
}

/** Also of a caller who had gone before the request was read: then nothing tells it any more. */
function whenOver(response: Response, listener: () => void): void {
  if (response.closed) listener()
  else response.once('close', listener)
}

function refuseTurn(cause: unknown): never {
  throw new ApiError('rate_limited', { cause })
}
