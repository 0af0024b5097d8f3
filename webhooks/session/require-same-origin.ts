import type { RequestHandler } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'
import { isFromSameOrigin } from '../credentials/session-cookie.ts'

/** Refuses requests that are not from the portal's page: another website must not log a user in or out. */
export function requireSameOrigin({ baseUrl }: { baseUrl: string }): RequestHandler {
  return (request, _response, next) => {
    if (!isFromSameOrigin(request.headers, baseUrl))
      throw new ApiError('unauthenticated', { detail: 'Only pages of this origin may call this.' })
    next()
  }
}
