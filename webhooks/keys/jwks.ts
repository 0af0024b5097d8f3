import { z } from 'zod'
import type { Sdk } from '../generated/sdk.ts'
import type { Operation } from '../operation.ts'

const PublicJwk = z.object({ e: z.string(), n: z.string(), kty: z.literal('RSA') })

/** Spec 2.6. */
const KeySet = z.strictObject({
  keys: z.array(z.strictObject({ ...PublicJwk.shape, kid: z.string() })),
})

export type JwksServices = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * The public keys of verification tokens, as long as they are valid.
 *
 * Requests of one moment share one look into the table.
 *
 * @returns a JSON Web Key Set, which may be kept for five minutes
 */
export const jwks: Operation<JwksServices, unknown> = {
  tag: 'Verification',
  summary: 'The public keys that verification tokens are signed with',
  answers: { 200: KeySet },
  errors: ['unavailable'],
  handle({ graphql, now }) {
    let asked: Promise<z.infer<typeof KeySet>> | null = null
    return async (_input, _request, response) => {
      asked ??= readKeys({ graphql, now }).finally(() => {
        asked = null
      })
      const keys = await asked
      response.setHeader('cache-control', 'public, max-age=300').json(keys)
    }
  },
}

async function readKeys({ graphql, now }: JwksServices): Promise<z.infer<typeof KeySet>> {
  const { jwks: rows } = await graphql.Jwks({ now: new Date(now()).toISOString() })
  return { keys: rows.map(({ id, public_jwk: jwk }) => ({ ...PublicJwk.parse(jwk), kid: id })) }
}
