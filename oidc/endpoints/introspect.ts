import type { RequestHandler } from 'express'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import type { FairQueue } from '../../lib/runtime/limits/fair-queue.ts'
import { awaitClientTurn, awaitCredentialTurn, type TurnServices } from './credential-turn.ts'
import { type HashServices, passHashed, readBasicCredentials } from './credentials.ts'
import { parseFields, readForm, replaceForm, requireField } from './form.ts'

/** The form of `POST /introspect` (spec 4.3, RFC 7662 2.1). */
const IntrospectInput = z.object({ token: z.string().optional() })

export type IntrospectServices = HashServices & TurnServices & { introspections: FairQueue }

/** No token has this handle: handles are 43 characters long. */
const NO_HANDLE = 'none'

/**
 * Prepares `POST /introspect` for the library: replaces a token that we signed by its handle.
 *
 * @throws invalid_content_type, invalid_request, unauthenticated, required, rate_limited
 */
export function introspectToken(services: IntrospectServices): RequestHandler[] {
  const prepare: RequestHandler = async (request, response, next) => {
    const credentials = readBasicCredentials(request)
    if (!credentials) throw new ApiError('unauthenticated')
    const token = requireField(parseFields(IntrospectInput, request).token, 'token')
    const exchange = { request, response }
    await awaitCredentialTurn(services, credentials, exchange)
    await awaitClientTurn(services.introspections, credentials.clientId, exchange)
    await passHashed(request, credentials, services)
    const handle = await services.provider().accessTokens.open(token)
    replaceForm(request, { token: handle ?? NO_HANDLE })
    next()
  }
  return [...readForm, prepare]
}
