import { errors, jwtVerify, SignJWT } from 'jose'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'

export const LOGIN_TOKEN_LIFETIME_MS = 24 * 3_600_000

type Options = {
  /** At least 64 bytes each, as HS512 requires. */
  secrets: Secrets
  /** The developer API's address, as `iss`. */
  issuer: string
  /** Milliseconds since the epoch. */
  now: () => number
}

export type LoginTokens = {
  issue(user: { id: string; loginId: string; isVerified: boolean }): Promise<string>
  /** Returns the login of a valid token, or null. The caller must check in the database that the login has not ended. */
  read(token: string): Promise<{ userId: string; loginId: string } | null>
}

/** Creates the signer and reader of the tokens (JWT, HS512) that login and signup return. */
export function createLoginTokens({ secrets, issuer, now }: Options): LoginTokens {
  const [signingSecret, ...acceptedSecrets] = secrets
  const key = encodeKey(signingSecret)
  const keys = [key, ...acceptedSecrets.map(encodeKey)]
  return {
    issue: ({ id, loginId, isVerified }) =>
      new SignJWT({ 'https://hasura.io/jwt/claims': hasuraClaims(id, isVerified) })
        .setProtectedHeader({ alg: 'HS512', typ: 'JWT' })
        .setSubject(id)
        .setJti(loginId)
        .setIssuer(issuer)
        .setIssuedAt(new Date(now()))
        .setExpirationTime(new Date(now() + LOGIN_TOKEN_LIFETIME_MS))
        .sign(key),
    async read(token) {
      for (const candidate of keys) {
        const login = await readWithSecret(token, candidate)
        if (login) return login
      }
      return null
    },
  }

  async function readWithSecret(token: string, candidate: Uint8Array) {
    try {
      const { payload } = await jwtVerify(token, candidate, {
        algorithms: ['HS512'],
        issuer,
        requiredClaims: ['sub', 'exp', 'jti'],
        currentDate: new Date(now()),
      })
      const { sub: userId, jti: loginId } = payload
      return userId && loginId ? { userId, loginId } : null
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}

function encodeKey(secret: string): Uint8Array {
  return new TextEncoder().encode(secret)
}

/** Returns the claims in Hasura's form. The auth hook looks up the role again for each request. */
function hasuraClaims(userId: string, isVerified: boolean) {
  const role = isVerified ? 'user' : 'unverified_user'
  return {
    'x-hasura-allowed-roles': [role],
    'x-hasura-default-role': role,
    'x-hasura-user-id': userId,
  }
}
