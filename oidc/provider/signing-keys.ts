import type { Log } from '../../lib/runtime/log/log.ts'
import { present } from '../../lib/runtime/present.ts'
import {
  makeSigningKey,
  openSigningJwk,
  type PrivateRsaJwk,
} from '../../lib/runtime/secrets/key-pair.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import type { Sdk, SigningKeysQuery } from '../generated/sdk.ts'

/** A private key as oidc-provider takes it. */
export type SigningKey = PrivateRsaJwk & { kid: string; alg: 'RS256'; use: 'sig' }

type Options = {
  graphql: Pick<Sdk, 'SigningKeys' | 'StoreSigningKey'>
  secrets: Secrets
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Longer than relying parties may cache the key set (5 minutes), since clocks differ. */
const PUBLISHED_BEFORE_USE_MS = 6 * 60_000

const RENEWED_BEFORE_END_MS = 30 * 24 * 3_600_000

/** How long tokens live. None may outlive the key that signed it. */
const TOKEN_LIFETIME_MS = 3_600_000

/**
 * Loads the keys that have not expired (RS256, encrypted in the table `jwks`); the first one signs.
 *
 * The newest key signs once every relying party has had time to fetch it. The others stay published
 * until they expire, so tokens that they signed stay valid. A key is made when there is none or the
 * newest expires within a month: keys rotate by themselves, or early if `expires_at` is set to be sooner.
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
    keys.find(({ row }) => canSign(row, options.now())) ?? present(keys.at(-1), 'a key')
  const others = keys.filter((key) => key !== signing)
  return [signing.key, ...others.map(({ key }) => key)]
}

type Row = SigningKeysQuery['jwks'][number]

async function readSigningKeys({ graphql, now }: Options): Promise<Row[]> {
  const { jwks } = await graphql.SigningKeys({ now: new Date(now()).toISOString() })
  return jwks
}

function isEnding({ expires_at }: Row, now: number): boolean {
  return Date.parse(expires_at) - now < RENEWED_BEFORE_END_MS
}

/** Whether every relying party knows the key, and tokens that it signs now end before it does. */
function canSign({ created_at, expires_at }: Row, now: number): boolean {
  const isKnown = Date.parse(created_at) + PUBLISHED_BEFORE_USE_MS <= now
  return isKnown && Date.parse(expires_at) - TOKEN_LIFETIME_MS > now
}

/** Decrypts a key. One that cannot be decrypted is left out, so that the others can still be used. */
function decryptKey(row: Row, { secrets, log }: Options): { row: Row; key: SigningKey }[] {
  try {
    const jwk = openSigningJwk(row, secrets)
    return [{ row, key: { ...jwk, kid: row.id, alg: 'RS256', use: 'sig' } }]
  } catch (err) {
    log.error({ kid: row.id, err }, 'a signing key cannot be decrypted')
    return []
  }
}

/** Two instances that start at the same moment make two keys, and agree on which one signs. */
async function storeSigningKey({ graphql, secrets, now }: Options): Promise<void> {
  const key = await makeSigningKey('RS256', secrets)
  const expiresAt = new Date(now())
  expiresAt.setUTCFullYear(expiresAt.getUTCFullYear() + 1)
  await graphql.StoreSigningKey({
    key: { ...key, use: 'sign-in', expires_at: expiresAt.toISOString() },
  })
}
