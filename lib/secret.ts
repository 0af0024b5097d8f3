import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * A secret and those that it replaces or will be replaced by: the first makes what is new, all of them
 * are accepted. So a secret is changed without a moment in which anybody is refused.
 */
export type Secrets = readonly [string, ...string[]]

/** HMAC-SHA-256 of a secret under the first of the peppers, as 64 hex digits: what the database may hold. */
export function hashSecret([pepper]: Secrets, secret: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex')
}

/** Whether a secret is the one whose hash is stored, under any of the peppers; in constant time each. */
export function matchesHash(peppers: Secrets, secret: string, storedHash: string): boolean {
  return peppers.some((pepper) => sameSecret(hashSecret([pepper], secret), storedHash))
}

/** Compares two texts in a time that depends on neither; both are hashed first, so lengths may differ. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

/** A new token of 32 random bytes, as text that fits into an address. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A new secret of a sign-in client: `sk_` and 48 hex digits, the same however a form encodes it. */
export function makeClientSecret(): string {
  return `sk_${randomBytes(24).toString('hex')}`
}

/** SHA-256 of a token, as 64 hex digits: enough for what nobody can guess. */
export function hashToken(token: string): string {
  return digest(token).toString('hex')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
