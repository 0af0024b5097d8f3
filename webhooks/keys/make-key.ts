import type { RequestHandler } from 'express'
import { makeSigningKey } from '../../lib/signing-key.ts'
import type { Sdk } from '../generated/sdk.ts'

export type MakeKeyServices = {
  graphql: Sdk
  keySecret: string
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Makes a new key for verification tokens, valid for twelve months; those before it stay as they are.
 *
 * @returns 201 `{ success, jwk }` (spec 2.7)
 */
export function makeKey({ graphql, keySecret, now }: MakeKeyServices): RequestHandler {
  return async (_request, response) => {
    const { requestId } = response.locals.context
    const key = await makeSigningKey('PS256', keySecret)
    const { insert_jwks_one: jwk } = await graphql.StoreKey(
      { key: { ...key, use: 'verification', expires_at: inTwelveMonths(now()) } },
      { 'x-request-id': requestId },
    )
    response.status(201).json({ success: true, jwk })
  }
}

function inTwelveMonths(now: number): string {
  const date = new Date(now)
  date.setUTCFullYear(date.getUTCFullYear() + 1)
  return date.toISOString()
}
