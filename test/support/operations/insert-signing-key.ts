import { makeSigningKey } from '../../../lib/runtime/secrets/key-pair.ts'
import type { Database } from '../database.ts'

/** Inserts a key for verification tokens that this secret seals. */
export async function insertSigningKey(
  db: Database,
  secret: string,
  { ageHours, days }: { ageHours: number; days: number },
): Promise<void> {
  const key = await makeSigningKey('PS256', [secret])
  await db.query(
    `insert into jwks (id, public_jwk, private_jwk_encrypted, created_at, expires_at)
     values ($1, $2, $3, now() - $4 * interval '1 hour', now() + $5 * interval '1 day')`,
    [key.id, JSON.stringify(key.public_jwk), key.private_jwk_encrypted, ageHours, days],
  )
}
