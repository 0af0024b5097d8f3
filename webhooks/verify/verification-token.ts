import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { ApiError } from '../../lib/runtime/errors.ts'
import { openSigningKey } from '../../lib/runtime/secrets/key-pair.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import type { Sdk } from '../generated/sdk.ts'

const LIFETIME_MS = 3_600_000

/** How long a key is published before it signs. Longer than clients may cache the keys (5 minutes), since clocks differ. */
const PUBLISHED_BEFORE_USE_MS = 6 * 60_000

/** The facts in a token. The page that the verified person is sent to reads them. */
type Verification = { action_id: string; nullifier_hash: string; signal: string }

/** The id and the time of a token. A retry gets a token with the same id and time. */
export type TokenIdentity = { id: string; issuedAt: Date }

/** Signs a token, with `identity` if it is not null, else with a new id and the current time. */
export type SignToken = (
  verification: Verification,
  identity: TokenIdentity | null,
) => Promise<string>

export type VerificationTokens = {
  /**
   * Fetches the signing key before the person is counted, so that signing cannot fail afterwards. Takes the newest
   * published key that outlives a new token, or the newest key if none is published yet.
   *
   * @throws unavailable if there is no key
   */
  prepare(headers: Record<string, string>): Promise<SignToken>
}

type Options = {
  graphql: Pick<Sdk, 'SigningKey'>
  keySecrets: Secrets
  /** The developer API's address, as `iss`. */
  issuer: string
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Creates the signer of verification tokens (JWT, PS256). A website checks a token with the published keys. */
export function createVerificationTokens({ graphql, ...options }: Options): VerificationTokens {
  const { keySecrets: secrets, issuer, now } = options
  return {
    async prepare(headers) {
      const until = new Date(now() + LIFETIME_MS).toISOString()
      const published = new Date(now() - PUBLISHED_BEFORE_USE_MS).toISOString()
      const keys = await graphql.SigningKey({ until, published }, headers)
      const row = keys.published[0] ?? keys.newest[0]
      if (!row) throw new ApiError('unavailable', { cause: new Error('no signing key') })
      const key = await openSigningKey(row, { algorithm: 'PS256', secrets })
      return (verification, identity) => {
        const { id, issuedAt } = identity ?? { id: randomUUID(), issuedAt: new Date(now()) }
        return new SignJWT({ ...verification, verified: true })
          .setProtectedHeader({ alg: 'PS256', typ: 'JWT', kid: row.id })
          .setIssuer(issuer)
          .setJti(id)
          .setIssuedAt(issuedAt)
          .setExpirationTime(new Date(issuedAt.getTime() + LIFETIME_MS))
          .sign(key)
      }
    },
  }
}
