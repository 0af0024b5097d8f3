import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA-256 of a secret under a pepper, as 64 hex digits: what the database may hold. */
export function hashSecret(pepper: string, secret: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex')
}

/** Compares two texts in a time that depends on neither; both are hashed first, so lengths may differ. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
