import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * The current secret, then earlier and future secrets. New values use the first secret; all secrets are accepted. So an
 * operator can change a secret without rejecting any caller.
 */
export type Secrets = readonly [string, ...string[]]

/** Returns the HMAC-SHA-256 of a secret with the first pepper, as 64 hex digits. The database may store this form. */
export function hashSecret([pepper]: Secrets, secret: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex')
}

/** True if a secret has the stored hash with any of the peppers. Compares each hash in constant time. */
export function matchesHash(peppers: Secrets, secret: string, storedHash: string): boolean {
  return peppers.some((pepper) => sameSecret(hashSecret([pepper], secret), storedHash))
}

/** Compares two texts in constant time. Hashes both first, so their lengths may differ. */
export function sameSecret(first: string, second: string): boolean {
  return timingSafeEqual(sha256(first), sha256(second))
}

/** Makes a token of 32 random bytes, as URL-safe text. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Makes a secret for a sign-in client: `sk_` and 48 hex digits, which form encoding does not change. */
export function makeClientSecret(): string {
  return `sk_${randomBytes(24).toString('hex')}`
}

/** Returns the SHA-256 of a token, as 64 hex digits. A random token needs no slow hash. */
export function hashToken(token: string): string {
  return sha256(token).toString('hex')
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
