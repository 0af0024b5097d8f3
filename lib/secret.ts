import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA-256 of a secret under a pepper, as 64 hex digits: what the database may hold. */
export function hashSecret(pepper: string, secret: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex')
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
