import type { Request, Response } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'

/**
 * Returns the token of `Authorization: Bearer` (RFC 6750 2.1).
 *
 * @throws unauthenticated without a token
 */
export function requireBearer({ headers: { authorization = '' } }: Request, response: Response) {
  const [, token] = /^bearer +([\w~+/.-]+=*)$/i.exec(authorization) ?? []
  if (token) return token
  response.setHeader('www-authenticate', 'Bearer realm="sign-in"')
  throw new ApiError('unauthenticated', { detail: 'Send the access token as a Bearer token.' })
}

/** Rejects a token that is not valid (RFC 6750 3.1). @throws invalid_token */
export function refuseBearer(response: Response): never {
  response.setHeader('www-authenticate', 'Bearer realm="sign-in", error="invalid_token"')
  throw new ApiError('invalid_token', { attribute: 'token' })
}
