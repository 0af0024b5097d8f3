import { z } from 'zod'
import { makeSigningKey } from '../../lib/runtime/secrets/key-pair.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import { inTwelveMonths, type MakeKeyServices, NewKey } from './make-key.ts'

export type RenewKeyServices = MakeKeyServices & {
  /** The next key is created when the newest key expires within this many days; 0 creates none. */
  keyRenewalDays: number
}

const DAY_MS = 86_400_000

const RenewedKey = z.strictObject({ success: z.literal(true), jwk: NewKey.nullable() })

/**
 * Creates the next key for verification tokens if the newest key expires soon, or if there is none. Concurrent calls
 * create one key. The new key signs only once caches have it (`createVerificationTokens`).
 *
 * @returns `{ success, jwk }`; `jwk` is null if no key was needed
 */
export const renewKey = jsonOperation(
  {
    tag: 'Internal',
    summary: 'Create the next key for verification tokens if the newest key expires soon',
    output: RenewedKey,
    errors: ['unavailable'],
  },
  ({ graphql, keySecrets, now, keyRenewalDays }: RenewKeyServices) =>
    async (_input: undefined, { requestId, log }: Context) => {
      const headers = { 'x-request-id': requestId }
      const unneeded = { success: true, jwk: null } as const
      if (keyRenewalDays === 0) return unneeded
      const validUntil = now() + keyRenewalDays * DAY_MS
      const { jwks } = await graphql.NewestKey({ use: 'verification' }, headers)
      if (jwks[0] && Date.parse(jwks[0].expires_at) > validUntil) return unneeded
      const key = await makeSigningKey('PS256', keySecrets)
      const { store_next_key: rows } = await graphql.StoreNextKey(
        {
          key: {
            ...key,
            expires_at: inTwelveMonths(now()),
            unless_valid_until: new Date(validUntil).toISOString(),
          },
        },
        headers,
      )
      const [row] = rows
      if (!row) return unneeded
      const jwk = NewKey.parse(row)
      log.info({ kid: jwk.id, expires_at: jwk.expires_at }, 'the next signing key was created')
      return { success: true, jwk } as const
    },
)
