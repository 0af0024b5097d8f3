import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * A secret with its predecessors and successors: the first is used for what is new, all are accepted. So a
 * secret can be changed without refusing anybody meanwhile.
 */
export type Secrets = readonly [string, ...string[]]

/** HMAC-SHA-256 of a secret under the first pepper, as 64 hex digits: the form that the database may hold. */
export function hashSecret([pepper]: Secrets, secret: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex')
}

/** Whether a secret has the stored hash, under any of the peppers; each is compared in constant time. */
export function matchesHash(peppers: Secrets, secret: string, storedHash: string): boolean {
  return peppers.some((pepper) => sameSecret(hashSecret([pepper], secret), storedHash))
}

/** Compares two texts in constant time; both are hashed first, so lengths may differ. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other))
}

/** A new token of 32 random bytes, as text that is safe in a URL. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A new secret for a sign-in client: `sk_` and 48 hex digits, which no form encoding changes. */
export function makeClientSecret(): string {
  return `sk_${randomBytes(24).toString('hex')}`
}

/** SHA-256 of a token, as 64 hex digits; a token cannot be guessed, so it needs no slower hash. */
export function hashToken(token: string): string {
  return sha256(token).toString('hex')
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
