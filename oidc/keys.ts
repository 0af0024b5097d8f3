import { z } from 'zod'
import type { Secrets } from '../lib/secret.ts'
import { makeSigningKey, openSigningJwk } from '../lib/signing-key.ts'
import type { Sdk, SigningKeysQuery } from './generated/sdk.ts'

const RsaKey = z.object({
  kty: z.literal('RSA'),
  e: z.string(),
  n: z.string(),
  d: z.string(),
  p: z.string(),
  q: z.string(),
  dp: z.string(),
  dq: z.string(),
  qi: z.string(),
})

/** A private key as the library takes it. */
export type SigningKey = z.infer<typeof RsaKey> & { kid: string; alg: 'RS256'; use: 'sig' }

type Options = {
  graphql: Pick<Sdk, 'SigningKeys' | 'StoreSigningKey'>
  secrets: Secrets
  /** Milliseconds since the epoch. */
  now: () => number
}

/** As long as relying parties may keep the key set, and then some for clocks that differ. */
const PUBLISHED_BEFORE_USE_MS = 6 * 60_000

/** What is signed must not outlive the key that it is signed with. */
const TOKEN_LIFETIME_MS = 3_600_000

/**
 * The keys that are in force, the one that signs first (RS256, sealed in the table `jwks`).
 *
 * The newest signs once every relying party has had time to see it; all others stay published until
 * they expire, so a rotation breaks nothing that is under way. Makes the first key when there is none.
 *
 * @throws unavailable, or Error when a key does not open with any of the secrets
 */
export async function loadKeys(options: Options): Promise<[SigningKey, ...SigningKey[]]> {
  const rows = await readKeys(options)
  const signer = rows.find((row) => isRipe(row, options.now())) ?? rows.at(-1)
  if (!signer) {
    await storeFirstKey(options)
    return loadKeys(options)
  }
  const others = rows.filter((row) => row !== signer)
  return [open(signer, options.secrets), ...others.map((row) => open(row, options.secrets))]
}

type Row = SigningKeysQuery['jwks'][number]

async function readKeys({ graphql, now }: Options): Promise<Row[]> {
  const { jwks } = await graphql.SigningKeys({ now: new Date(now()).toISOString() })
  return jwks
}

function isRipe({ created_at, expires_at }: Row, now: number): boolean {
  const isSeen = Date.parse(created_at) + PUBLISHED_BEFORE_USE_MS <= now
  return isSeen && Date.parse(expires_at) - TOKEN_LIFETIME_MS > now
}

function open(row: Row, secrets: Secrets): SigningKey {
  return { ...RsaKey.parse(openSigningJwk(row, secrets)), kid: row.id, alg: 'RS256', use: 'sig' }
}

/** Two instances that start at once make two, and agree on which signs. */
async function storeFirstKey({ graphql, secrets, now }: Options): Promise<void> {
  const key = await makeSigningKey('RS256', secrets)
  const expiresAt = new Date(now())
  expiresAt.setUTCFullYear(expiresAt.getUTCFullYear() + 1)
  await graphql.StoreSigningKey({
    key: { ...key, use: 'sign-in', expires_at: expiresAt.toISOString() },
  })
}
