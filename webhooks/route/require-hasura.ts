import type { RequestHandler } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'
import { type Secrets, sameSecret } from '../../lib/runtime/secrets/secret.ts'

/**
 * Creates a handler that requires `Authorization: Bearer <secret>`, compared in constant time.
 *
 * @param secrets shared with Hasura only; if unset, every request is refused
 * @throws permission_denied, alike for a missing and a wrong secret
 */
export function requireHasura(secrets: Secrets | undefined): RequestHandler {
  return (request, _response, next) => {
    const { authorization = '' } = request.headers
    const accepted = secrets?.some((secret) => sameSecret(authorization, `Bearer ${secret}`))
    if (!accepted) throw new ApiError('permission_denied')
    next()
  }
}
