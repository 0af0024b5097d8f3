import type { Request } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'
import { hashSecret, type Secrets, sameSecret } from '../../lib/runtime/secrets/secret.ts'
import type { SignInProvider } from '../provider/provider.ts'

/** The credentials of a client. A public client has no secret, so its secret is the empty string. */
export type Credentials = { clientId: string; secret: string }

/**
 * Reads `Authorization: Basic`, in which the id and the secret are form-encoded (RFC 6749 2.3.1).
 *
 * @returns null without the header
 * @throws unauthenticated when the header is malformed
 */
export function readBasicCredentials({ headers: { authorization } }: Request): Credentials | null {
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
 * Passes credentials on to oidc-provider with the hash of the secret instead of the secret. oidc-provider then
 * compares two hashes, in constant time.
 *
 * A stolen hash is useless: a hash that is sent as a secret is hashed again, and then differs from the stored hash.
 *
 * @throws unauthenticated for an id with characters that no client id may have
 */
export async function passHashed(
  request: Request,
  credentials: Credentials,
  services: HashServices,
) {
  if (!CLIENT_ID.test(credentials.clientId)) throw new ApiError('unauthenticated')
  const hash = await hashAsStored(credentials, services)
  const pair = `${encodeURIComponent(credentials.clientId)}:${hash}`
  request.headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
}

/**
 * The characters of a client id (RFC 6749 A.1). For any other id oidc-provider would report a malformed header, even
 * when the credentials were in the body.
 */
const CLIENT_ID = /^[\x20-\x7e]+$/

export type HashServices = { provider: () => SignInProvider; clientSecretPeppers: Secrets }

/**
 * Hashes the secret with the pepper of the stored hash, or with the first pepper if no hash matches. While the operator
 * changes the pepper, there are several peppers.
 */
async function hashAsStored(
  { clientId, secret }: Credentials,
  { provider, clientSecretPeppers: peppers }: HashServices,
): Promise<string> {
  if (peppers.length === 1) return hashSecret(peppers, secret)
  const client = await provider().library.Client.find(clientId)
  const hashes = peppers.map((pepper) => hashSecret([pepper], secret))
  const matchingHash = hashes.find((hash) => sameSecret(hash, client?.clientSecret ?? ''))
  return matchingHash ?? hashSecret(peppers, secret)
}

function formDecode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
