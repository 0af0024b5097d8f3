import type { Request, Response } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'

/**
 * The token of `Authorization: Bearer` (RFC 6750 2.1).
 *
 * @throws unauthenticated without one
 */
export function requireBearer({ headers: { authorization = '' } }: Request, response: Response) {
  const [, token] = /^bearer +([\w~+/.-]+=*)$/i.exec(authorization) ?? []
  if (token) return token
  response.setHeader('www-authenticate', 'Bearer realm="sign-in"')
  throw new ApiError('unauthenticated', { detail: 'Send the access token as a Bearer token.' })
}

/** @throws invalid_token, for a token that is not valid here (RFC 6750 3.1) */
export function refuseBearer(response: Response): never {
  response.setHeader('www-authenticate', 'Bearer realm="sign-in", error="invalid_token"')
  throw new ApiError('invalid_token', { attribute: 'token' })
}
