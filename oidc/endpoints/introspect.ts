import type { RequestHandler } from 'express'
import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import { basicCredentials, type HashServices, presentHashed } from './credentials.ts'
import { readFields, readForm, replaceBody, requireField } from './form.ts'

/** The form of `POST /introspect` (spec 4.3, RFC 7662 2.1). */
const IntrospectInput = z.object({ token: z.string().optional() })

/** No token has this handle: handles are 43 characters long. */
const NO_HANDLE = 'none'

/**
 * Runs before the library at `POST /introspect`: replaces a token that we signed by its handle.
 *
 * @throws invalid_content_type, unauthenticated, required
 */
export function introspect(services: HashServices): RequestHandler[] {
  const prepare: RequestHandler = async (request, _response, next) => {
    const credentials = basicCredentials(request)
    if (!credentials) throw new ApiError('unauthenticated')
    const token = requireField(readFields(IntrospectInput, request.body).token, 'token')
    await presentHashed(request, credentials, services)
    const handle = await services.provider().accessTokens.open(token)
    replaceBody(request, { token: handle ?? NO_HANDLE })
    next()
  }
  return [...readForm, prepare]
}
