import type { Request } from 'express'
import { ApiError } from '../lib/errors.ts'
import { hashSecret } from '../lib/secret.ts'

/** What a client says about itself. */
export type Credentials = { clientId: string; secret: string }

/**
 * Reads `Authorization: Basic`; id and secret are form-encoded in it (RFC 6749 2.3.1).
 *
 * @returns null without the header
 * @throws unauthenticated when it is malformed
 */
export function basicCredentials({ headers: { authorization } }: Request): Credentials | null {
  if (authorization === undefined) return null
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization) ?? []
  const text = Buffer.from(encoded ?? '', 'base64').toString()
  const colon = text.indexOf(':')
  const clientId = formDecode(text.slice(0, colon))
  const secret = formDecode(text.slice(colon + 1))
  if (colon < 1 || !clientId || !secret) throw new ApiError('unauthenticated')
  return { clientId, secret }
}

/**
 * Hands credentials to the library, with the secret as it is stored: so the library's own comparison,
 * which takes the same time wherever two texts differ, is one of hashes.
 *
 * @param pepper keys the hash; a stolen hash, sent as a secret, is hashed once more and fits nothing
 */
export function presentHashed(request: Request, { clientId, secret }: Credentials, pepper: string) {
  const pair = `${encodeURIComponent(clientId)}:${hashSecret(pepper, secret)}`
  request.headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
}

function formDecode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
