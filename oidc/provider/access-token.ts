import { createLocalJWKSet, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Configuration } from 'oidc-provider'
import { requireValue } from '../../lib/runtime/require-value.ts'
import type { SigningKey } from './signing-keys.ts'

type Formats = NonNullable<Configuration['formats']>
type Customize = NonNullable<NonNullable<Formats['customizers']>['jwt']>

/** How long an access token lives. */
export const ACCESS_TOKEN_SECONDS = 3_600

/** Returns the audience of every access token. A token gives access only to `/userinfo`. */
export function userinfoUrl(issuer: string): string {
  return `${issuer}/userinfo`
}

/**
 * Makes a signed access token revocable: stores an opaque token of oidc-provider for it. The handle of the opaque
 * token becomes the `jti` of the signed token.
 *
 * oidc-provider accepts only handles, and clients get only signed tokens. `createAccessTokens` translates between
 * them, and rejects a bare handle, so a stolen handle is useless.
 */
export const storeHandle: Customize = async (ctx, token, { payload }) => {
  const { AccessToken } = ctx.oidc.provider
  if (!(token instanceof AccessToken))
    throw new Error(
      'storeHandle requires an AccessToken; this server issues no other tokens as JWT.',
    )
  const { accountId, grantId, gty, scope } = token
  const client = requireValue(token.client, 'the client of an access token')
  const opaqueToken = new AccessToken({ accountId, client, grantId, gty, scope, exp: payload.exp })
  payload.jti = await opaqueToken.save()
  // oidc-provider's hooks and events report the token that a request has issued. Here this is the opaque token, because
  // oidc-provider never stores the signed token.
  ctx.oidc.entity('AccessToken', opaqueToken)
}

export type AccessTokens = {
  /** Returns the handle in a signed access token; null unless this server signed the token and it has not expired. */
  findHandle(token: string): Promise<string | null>
  /** Caches a token that this server has just signed, so that its signature need not be verified. */
  cacheToken(token: string, contents: Contents): void
}

/** The fields that we use of a signed token's payload; `exp` is in seconds since the epoch. */
type Contents = { handle: string; exp: number }

/** The most verified tokens in the cache. */
const MAX_CACHED = 10_000

/**
 * Creates a reader of access tokens (RFC 9068) that were signed with any of these keys.
 *
 * Valid tokens are cached, because a relying party sends the same token many times. The revocation of a token is not
 * cached: oidc-provider looks up the handle for each request.
 */
export function createAccessTokens(keys: readonly SigningKey[], issuer: string): AccessTokens {
  const keySet = createLocalJWKSet({ keys: keys.map(publicPart) })
  const checks = {
    issuer,
    audience: userinfoUrl(issuer),
    typ: 'at+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['exp', 'jti'],
  }
  const cache = new LRUCache<string, Contents>({ max: MAX_CACHED })

  return {
    async findHandle(token) {
      const cached = cache.get(token)
      if (cached) return cached.exp > Date.now() / 1_000 ? cached.handle : null
      const contents = await verify(token)
      if (contents) cache.set(token, contents)
      return contents?.handle ?? null
    },
    cacheToken: (token, contents) => void cache.set(token, contents),
  }

  async function verify(token: string) {
    try {
      const { payload } = await jwtVerify(token, keySet, checks)
      return readContents(payload)
    } catch {
      return null
    }
  }
}

function readContents({ jti, exp }: JWTPayload): Contents {
  return { handle: String(jti), exp: Number(exp) }
}

function publicPart({ kty, e, n, kid, alg, use }: SigningKey): JWK {
  return { kty, e, n, kid, alg, use }
}
