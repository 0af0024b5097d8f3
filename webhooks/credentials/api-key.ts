import { randomBytes } from 'node:crypto'
import { hashSecret, matchesHash, type Secrets } from '../../lib/runtime/secrets/secret.ts'
import { bearerToken } from './bearer.ts'

export type ApiKey = { id: string; secret: string }

/** Returns the text of a key, which a team's servers send: `api_`, and base64url of the key's id, a colon and the secret. */
export function formatApiKey({ id, secret }: ApiKey): string {
  return `api_${Buffer.from(`${id}:${secret}`).toString('base64url')}`
}

/** Parses the text of a key. Also accepts plain base64, and padding. Returns null for any other text. */
export function parseApiKey(text: string): ApiKey | null {
  const [, encoded = ''] = /^api_([\w+/-]+)={0,2}$/.exec(text) ?? []
  const decoded = Buffer.from(encoded, 'base64url').toString()
  const [, id, secret] = /^(key_[0-9a-f]{32}):([\w-]{1,128})$/.exec(decoded) ?? []
  return id && secret ? { id, secret } : null
}

/** Returns a new secret: 32 random bytes as base64url. */
export function createApiKeySecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a key for the database. The hash includes the id, so that hashes cannot be swapped between rows. */
export function hashApiKey(peppers: Secrets, { id, secret }: ApiKey): string {
  return hashSecret(peppers, `${id}:${secret}`)
}

/** The columns of an API key's row. */
type StoredApiKey = { secret_hash: string; is_active: boolean }

/**
 * True if the key has a row, the row is active, and its hash is the key's hash.
 *
 * An unknown id takes the same work as a wrong secret, so that the timing does not reveal which ids exist.
 */
export function isUsableApiKey<Row extends StoredApiKey>(
  peppers: Secrets,
  key: ApiKey,
  row: Row | null | undefined,
): row is Row {
  const matches = matchesApiKey(peppers, key, row ? row.secret_hash : '')
  return row?.is_active === true && matches
}

/** Explains to the caller why an `Authorization` header has no API key. */
export function explainMalformed(authorization: string | undefined): string {
  if (!authorization) return 'Authorization is missing: send "Authorization: Bearer <API key>".'
  const credentials = bearerToken(authorization)
  if (!credentials) return 'Authorization is malformed: send "Authorization: Bearer <API key>".'
  return 'The API key is malformed: send all of it, from api_ on.'
}

/** Explains to the caller why a key is refused. Only a caller with the secret learns that the key was revoked. */
export function explainApiKey(
  peppers: Secrets,
  key: ApiKey,
  row: StoredApiKey | null | undefined,
): string {
  const matches = matchesApiKey(peppers, key, row ? row.secret_hash : '')
  if (row?.is_active === false && matches) return 'This API key has been revoked.'
  return 'There is no such API key. If it worked before, it has been reset.'
}

/** True if the stored hash is the key's hash with any of the peppers. */
export function matchesApiKey(peppers: Secrets, key: ApiKey, storedHash: string): boolean {
  return matchesHash(peppers, `${key.id}:${key.secret}`, storedHash)
}
