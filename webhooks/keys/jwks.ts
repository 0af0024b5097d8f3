import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Sdk } from '../generated/sdk.ts'

const PublicJwk = z.object({ e: z.string(), n: z.string(), kty: z.literal('RSA') })

type KeySet = { keys: (z.infer<typeof PublicJwk> & { kid: string })[] }

export type JwksServices = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * The public keys of verification tokens, as long as they are valid (spec 2.6).
 *
 * Requests of one moment share one look into the table.
 *
 * @returns a JSON Web Key Set, which may be kept for five minutes
 */
export function jwks({ graphql, now }: JwksServices): RequestHandler {
  let asked: Promise<KeySet> | null = null
  return async (_request, response) => {
    asked ??= ask().finally(() => {
      asked = null
    })
    const keys = await asked
    response.setHeader('cache-control', 'public, max-age=300').json(keys)
  }

  async function ask(): Promise<KeySet> {
    const { jwks: rows } = await graphql.Jwks({ now: new Date(now()).toISOString() })
    return { keys: rows.map(({ id, public_jwk: jwk }) => ({ ...PublicJwk.parse(jwk), kid: id })) }
  }
}
