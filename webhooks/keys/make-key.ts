import { z } from 'zod'
import { makeSigningKey } from '../../lib/runtime/secrets/key-pair.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { Sdk } from '../generated/sdk.ts'
import { timestamp } from '../route/answer-schemas.ts'

export type MakeKeyServices = {
  graphql: Sdk
  keySecrets: Secrets
  /** Milliseconds since the epoch. */
  now: () => number
}

/** A new key in a response (spec 2.7). */
export const NewKey = z.strictObject({
  __typename: z.literal('jwks'),
  id: z.string(),
  expires_at: timestamp,
})

const MadeKey = z.strictObject({ success: z.literal(true), jwk: NewKey })

/**
 * Creates a key for verification tokens that is valid for twelve months. Earlier keys stay valid.
 *
 * @returns 201 `{ success, jwk }` (spec 2.7)
 */
export const makeKey = jsonOperation(
  {
    tag: 'Internal',
    summary: 'Create a key for verification tokens',
    output: MadeKey,
    status: 201,
    errors: ['unavailable'],
  },
  ({ graphql, keySecrets, now }: MakeKeyServices) =>
    async (_input: undefined, { requestId }: Context) => {
      const key = await makeSigningKey('PS256', keySecrets)
      const { insert_jwks_one: jwk } = await graphql.StoreKey(
        { key: { ...key, use: 'verification', expires_at: inTwelveMonths(now()) } },
        { 'x-request-id': requestId },
      )
      return { success: true, jwk: NewKey.parse(jwk) } as const
    },
)

/** Returns the end of a key that is created at `now`. */
export function inTwelveMonths(now: number): string {
  const date = new Date(now)
  date.setUTCFullYear(date.getUTCFullYear() + 1)
  return date.toISOString()
}
