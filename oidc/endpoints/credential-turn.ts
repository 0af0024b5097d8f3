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
  /** Limits the work that wrong credentials can cause. */
  gate: CredentialGate
}

/**
 * Waits until a client's credentials may be checked. Keeps the client as the app of the request. When the response closes, records if the credentials were right or
 * wrong. Records nothing if the response does not show this.
 *
 * @throws rate_limited when the address has sent many wrong credentials, and the queue is full or no place is free in time
 */
export async function awaitCredentialTurn(
  { gate }: TurnServices,
  { clientId, secret }: Credentials,
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  requestContext.get(response).appReference = clientId
  const bearer = { address: callerAddress(request), credentials: `${clientId}:${secret}` }
  const leave = await gate.enter(bearer, abortOnClose(response)).catch(refuseTurn)
  callOnClose(response, () => {
    leave()
    const { errorCode } = requestContext.get(response)
    if (errorCode === 'unauthenticated') gate.settle(bearer, 'wrong')
    // oidc-provider checks the code only after the credentials, so they were right.
    if (response.statusCode === 200 || errorCode === 'invalid_grant') gate.settle(bearer, 'right')
  })
}

/**
 * Limits the introspections that run at once: enough to keep every database connection busy, and few enough that the
 * next request waits only for a few short statements.
 */
export function createIntrospectionQueue(connections: number): FairQueue {
  const places = connections * 2
  return createFairQueue({
    places,
    placesPerCaller: Math.ceil(places * 0.75),
    placesForHeavy: Math.ceil(places / 2),
    maxWaiting: places * 32,
    // A service that introspects the token of each of its requests sends many at once.
    maxWaitingPerCaller: places * 16,
    maxWaitMs: 2_000,
  })
}

/**
 * Waits until the request may run. The queue is fair between pairs of a client and an address. Client ids are public,
 * so if all addresses shared the turns of a client id, another program could use up these turns.
 *
 * @throws rate_limited when too many requests wait, or this one waits too long
 */
export async function awaitClientTurn(
  queue: FairQueue,
  clientId: string,
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const caller = hashToken(`${clientId} ${callerAddress(request)}`)
  const leave = await queue.enter([caller], { signal: abortOnClose(response) }).catch(refuseTurn)
  callOnClose(response, leave)
}

/**
 * Calls the listener when the response closes. The caller may have disconnected before the request was read: then
 * `close` has already been emitted.
 */
function callOnClose(response: Response, listener: () => void): void {
  if (response.closed) listener()
  else response.once('close', listener)
}

function refuseTurn(cause: unknown): never {
  throw new ApiError('rate_limited', { cause })
}
