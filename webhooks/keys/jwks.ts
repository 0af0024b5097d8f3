import { z } from 'zod'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import type { Sdk } from '../generated/sdk.ts'

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

/** How long an instance answers from memory, and so how late a new key may appear. */
const REMEMBERED_MS = 1_000

/** A key set as it is sent; `until` is when it is too old or its first key expires. */
type Remembered = { text: string; since: number; until: number }

/**
 * The public keys of verification tokens that have not expired.
 *
 * @returns a JSON Web Key Set, which may be cached for five minutes
 */
export const jwks: Operation<JwksServices, unknown> = {
  tag: 'Verification',
  summary: 'The public keys that verification tokens are checked with (JWKS)',
  answers: { 200: KeySet },
  errors: ['unavailable'],
  handle(services) {
    const current = rememberKeySet(services)
    return async (_input, _request, response) => {
      response.setHeader('cache-control', 'public, max-age=300')
      response.setHeader('content-type', 'application/json; charset=utf-8')
      response.end(await current())
    }
  },
}

/** Reads the set when nothing is remembered; requests that come together share one query. */
function rememberKeySet(services: JwksServices): () => Promise<string> | string {
  let remembered: Remembered | null = null
  let asked: Promise<Remembered> | null = null
  return () => {
    const now = services.now()
    if (remembered && remembered.since <= now && now < remembered.until) return remembered.text
    asked ??= readKeySet(services, now).finally(() => {
      asked = null
    })
    return asked.then((set) => {
      remembered = set
      return set.text
    })
  }
}

async function readKeySet({ graphql }: JwksServices, now: number): Promise<Remembered> {
  const { jwks: rows } = await graphql.Jwks({ now: new Date(now).toISOString() })
  const keys = rows.map(({ id, public_jwk: jwk }) => ({ ...PublicJwk.parse(jwk), kid: id }))
  const ends = rows.map(({ expires_at }) => Date.parse(expires_at))
  const set: z.infer<typeof KeySet> = { keys }
  return {
    text: JSON.stringify(set),
    since: now,
    until: Math.min(now + REMEMBERED_MS, ...ends),
  }
}
