import type { RequestHandler } from 'express'
import { ApiError } from '../lib/errors.ts'
import { sameSecret } from '../lib/secret.ts'

/**
 * Admits only whoever sends `Authorization: Bearer <secret>`, compared in constant time.
 *
 * @param secret shared with Hasura alone; unset, nobody is admitted
 * @throws permission_denied, alike for a missing and a wrong secret
 */
export function internal(secret: string | undefined): RequestHandler {
  return (request, _response, next) => {
    const { authorization = '' } = request.headers
    if (!secret || !sameSecret(authorization, `Bearer ${secret}`))
      throw new ApiError('permission_denied')
    next()
  }
}
