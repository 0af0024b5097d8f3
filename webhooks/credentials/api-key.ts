import { randomBytes } from 'node:crypto'
import { hashSecret, matchesHash, type Secrets } from '../../lib/runtime/secrets/secret.ts'
import { bearerToken } from './bearer.ts'

export type ApiKey = { id: string; secret: string }

/** Writes a key as a team's servers send it: `api_` and base64url of `key_id:secret`. */
export function formatApiKey({ id, secret }: ApiKey): string {
  return `api_${Buffer.from(`${id}:${secret}`).toString('base64url')}`
}

/** Reads what `formatApiKey` wrote, also in plain or padded base64; null for anything else. */
export function parseApiKey(text: string): ApiKey | null {
  const [, encoded = ''] = /^api_([\w+/-]+)={0,2}$/.exec(text) ?? []
  const decoded = Buffer.from(encoded, 'base64url').toString()
  const [, id, secret] = /^(key_[0-9a-f]{32}):([\w-]{1,128})$/.exec(decoded) ?? []
  return id && secret ? { id, secret } : null
}

/** A new secret of 32 random bytes. */
export function makeApiKeySecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What the database stores of a key; bound to its id, so that hashes cannot be swapped between rows. */
export function hashApiKey(peppers: Secrets, { id, secret }: ApiKey): string {
  return hashSecret(peppers, `${id}:${secret}`)
}

/** A key's row; none when no key has the id. */
type StoredApiKey = { secret_hash: string; is_active: boolean }

/**
 * Whether a key may be used: its row is there, has its hash and is active.
 *
 * A key that does not exist takes the same work as a wrong one, so that timing does not tell them apart.
 */
export function isUsableApiKey<Row extends StoredApiKey>(
  peppers: Secrets,
  key: ApiKey,
  row: Row | null | undefined,
): row is Row {
  const matches = matchesApiKey(peppers, key, row ? row.secret_hash : '')
  return row?.is_active === true && matches
}

/** Why an `Authorization` header has no API key, in words for whoever sent it. */
export function explainMalformed(authorization: string | undefined): string {
  if (!authorization) return 'Authorization is missing: send "Authorization: Bearer <API key>".'
  const credentials = bearerToken(authorization)
  if (!credentials) return 'Authorization is malformed: send "Authorization: Bearer <API key>".'
  return 'The API key is malformed: send all of it, from api_ on.'
}

/** Why a key is refused, in words. That it was revoked is told only to who has its secret. */
export function explainApiKey(
  peppers: Secrets,
  key: ApiKey,
  row: StoredApiKey | null | undefined,
): string {
  const matches = matchesApiKey(peppers, key, row ? row.secret_hash : '')
  if (row?.is_active === false && matches) return 'This API key has been revoked.'
  return 'There is no such API key. If it worked before, it has been reset.'
}

/** Whether a key is the one whose hash is stored, under any of the peppers. */
export function matchesApiKey(peppers: Secrets, key: ApiKey, storedHash: string): boolean {
  return matchesHash(peppers, `${key.id}:${key.secret}`, storedHash)
}
