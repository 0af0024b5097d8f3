import { z } from 'zod'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import type { Sdk } from '../generated/sdk.ts'

const PublicJwk = z.object({ e: z.string(), n: z.string(), kty: z.literal('RSA') })

/** The response: a JSON Web Key Set (spec 2.6). */
const KeySet = z.strictObject({
  keys: z.array(z.strictObject({ ...PublicJwk.shape, kid: z.string() })),
})

export type JwksServices = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long an instance caches the key set. So a new key appears in responses at most this much later. */
const CACHED_MS = 1_000

/** A key set as JSON, cached from `since` to `until`. The entry ends when it is too old, or when the first key expires. */
type CacheEntry = { text: string; since: number; until: number }

/**
 * Returns the public keys that verify verification tokens, without expired keys.
 *
 * @returns a JSON Web Key Set; clients may cache it for five minutes
 */
export const jwks: Operation<JwksServices, unknown> = {
  tag: 'Verification',
  summary: 'The public keys that verify verification tokens (JWKS)',
  answers: { 200: KeySet },
  errors: ['unavailable'],
  handle(services) {
    const current = createKeySetCache(services)
    return async (_input, _request, response) => {
      response.setHeader('cache-control', 'public, max-age=300')
      response.setHeader('content-type', 'application/json; charset=utf-8')
      response.end(await current())
    }
  },
}

/** Creates the function that returns the cached key set, or reads a new one. Concurrent requests share one query. */
function createKeySetCache(services: JwksServices): () => Promise<string> | string {
  let cacheEntry: CacheEntry | null = null
  let query: Promise<CacheEntry> | null = null
  return () => {
    const now = services.now()
    if (cacheEntry && cacheEntry.since <= now && now < cacheEntry.until) return cacheEntry.text
    query ??= readKeySet(services, now).finally(() => {
      query = null
    })
    return query.then((entry) => {
      cacheEntry = entry
      return entry.text
    })
  }
}

async function readKeySet({ graphql }: JwksServices, now: number): Promise<CacheEntry> {
  const { jwks: rows } = await graphql.Jwks({ now: new Date(now).toISOString() })
  const keys = rows.map(({ id, public_jwk: jwk }) => ({ ...PublicJwk.parse(jwk), kid: id }))
  const ends = rows.map(({ expires_at }) => Date.parse(expires_at))
  const set: z.infer<typeof KeySet> = { keys }
  return {
    text: JSON.stringify(set),
    since: now,
    until: Math.min(now + CACHED_MS, ...ends),
  }
}
