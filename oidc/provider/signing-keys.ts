import type { Log } from '../../lib/runtime/log/log.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
import {
  makeSigningKey,
  openSigningJwk,
  type PrivateRsaJwk,
} from '../../lib/runtime/secrets/key-pair.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import type { Sdk, SigningKeysQuery } from '../generated/sdk.ts'

/** A private key in oidc-provider's format. */
export type SigningKey = PrivateRsaJwk & { kid: string; alg: 'RS256'; use: 'sig' }

type Options = {
  graphql: Pick<Sdk, 'SigningKeys' | 'StoreSigningKey'>
  secrets: Secrets
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long a key is published before it signs: a minute longer than caches keep the key set, because clocks differ. */
const PUBLISHED_BEFORE_USE_MS = 6 * 60_000

const RENEWED_BEFORE_END_MS = 30 * 24 * 3_600_000

/** The lifetime of tokens. A token may not outlive the key that signed it. */
const TOKEN_LIFETIME_MS = 3_600_000

/**
 * Loads the keys that have not expired (RS256, encrypted in the table `jwks`). The first key of the result signs.
 *
 * The newest key signs once every relying party has had time to fetch it. The other keys stay published until they
 * expire, so tokens that they signed stay valid. A new key is made when no key can be decrypted, or when the newest key
 * expires within 30 days. So keys rotate automatically. To rotate a key early, set an earlier `expires_at` in its row.
 *
 * @throws unavailable
 */
export async function loadSigningKeys(options: Options): Promise<[SigningKey, ...SigningKey[]]> {
  const rows = await readSigningKeys(options)
  const keys = rows.flatMap((row) => decryptKey(row, options))
  const [newest] = keys
  if (!newest || isEnding(newest.row, options.now())) {
    await storeSigningKey(options)
    return loadSigningKeys(options)
  }
  const signing =
    keys.find(({ row }) => canSign(row, options.now())) ?? requireValue(keys.at(-1), 'a key')
  const otherKeys = keys.filter((key) => key !== signing)
  return [signing.key, ...otherKeys.map(({ key }) => key)]
}

type Row = SigningKeysQuery['jwks'][number]

async function readSigningKeys({ graphql, now }: Options): Promise<Row[]> {
  const { jwks } = await graphql.SigningKeys({ now: new Date(now()).toISOString() })
  return jwks
}

function isEnding({ expires_at }: Row, now: number): boolean {
  return Date.parse(expires_at) - now < RENEWED_BEFORE_END_MS
}

/** True if every relying party has had time to fetch the key, and a token that it signs now expires before the key. */
function canSign({ created_at, expires_at }: Row, now: number): boolean {
  const isKnown = Date.parse(created_at) + PUBLISHED_BEFORE_USE_MS <= now
  return isKnown && Date.parse(expires_at) - TOKEN_LIFETIME_MS > now
}

/** Decrypts a key. Leaves out a key that cannot be decrypted, so that the other keys can still be used. */
function decryptKey(row: Row, { secrets, log }: Options): { row: Row; key: SigningKey }[] {
  try {
    const jwk = openSigningJwk(row, secrets)
    return [{ row, key: { ...jwk, kid: row.id, alg: 'RS256', use: 'sig' } }]
  } catch (err) {
    log.error({ kid: row.id, err }, 'a signing key cannot be decrypted; check SIGNING_KEY_SECRET')
    return []
  }
}

/**
 * Stores a new key. Two instances that start at the same moment store two keys, and both choose the same key to sign.
 */
async function storeSigningKey({ graphql, secrets, now }: Options): Promise<void> {
  const key = await makeSigningKey('RS256', secrets)
  const expiresAt = new Date(now())
  expiresAt.setUTCFullYear(expiresAt.getUTCFullYear() + 1)
  await graphql.StoreSigningKey({
    key: { ...key, use: 'sign-in', expires_at: expiresAt.toISOString() },
  })
}
