import type { Request } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'
import { hashSecret, type Secrets, sameSecret } from '../../lib/runtime/secrets/secret.ts'
import type { SignInProvider } from '../provider/provider.ts'

/** What a client authenticates with; the secret of a public client, which has none, is empty. */
export type Credentials = { clientId: string; secret: string }

/**
 * Reads `Authorization: Basic`; id and secret are form-encoded in it (RFC 6749 2.3.1).
 *
 * @returns null without the header
 * @throws unauthenticated when it is malformed
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
 * Passes credentials on to oidc-provider with the secret's hash in the secret's place, so that the
 * library compares two hashes, in constant time.
 *
 * A stolen hash is useless: sent as a secret, it is hashed again and matches nothing.
 *
 * @throws unauthenticated for an id that no client could have
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
 * RFC 6749 A.1. For any other id oidc-provider would say that the header is malformed, even when the
 * credentials came in the body.
 */
const CLIENT_ID = /^[\x20-\x7e]+$/

export type HashServices = { provider: () => SignInProvider; clientSecretPeppers: Secrets }

/** Hashes with the pepper that the stored hash was made with: while peppers change there are several. */
async function hashAsStored(
  { clientId, secret }: Credentials,
  { provider, clientSecretPeppers: peppers }: HashServices,
): Promise<string> {
  if (peppers.length === 1) return hashSecret(peppers, secret)
  const client = await provider().library.Client.find(clientId)
  const hashes = peppers.map((pepper) => hashSecret([pepper], secret))
  const stored = hashes.find((hash) => sameSecret(hash, client?.clientSecret ?? ''))
  return stored ?? hashSecret(peppers, secret)
}

function formDecode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
