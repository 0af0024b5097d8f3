import { createLocalJWKSet, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Configuration } from 'oidc-provider'
import { present } from '../../lib/runtime/present.ts'
import type { SigningKey } from './signing-keys.ts'

type Formats = NonNullable<Configuration['formats']>
type Customize = NonNullable<NonNullable<Formats['customizers']>['jwt']>

/** How long an access token lives. */
export const ACCESS_TOKEN_SECONDS = 3_600

/** The audience of every access token: it gives access to nothing else. */
export function userinfoUrl(issuer: string): string {
  return `${issuer}/userinfo`
}

/**
 * Makes a signed access token revocable: for each one, an opaque token of oidc-provider is stored, whose
 * handle becomes the `jti` of the signed token.
 *
 * oidc-provider accepts only handles, and clients get only signed tokens; `createAccessTokens`
 * translates between them. It refuses a bare handle, so knowing one is worth nothing.
 */
export const storeHandle: Customize = async (ctx, token, { payload }) => {
  const { AccessToken } = ctx.oidc.provider
  if (!(token instanceof AccessToken)) throw new Error('Only access tokens for people are issued.')
  const { accountId, grantId, gty, scope } = token
  const client = present(token.client, 'the client of an access token')
  const stored = new AccessToken({ accountId, client, grantId, gty, scope, exp: payload.exp })
  payload.jti = await stored.save()
  // oidc-provider's hooks and events tell which token a request has issued: this one, because the
  // library's own is never stored.
  ctx.oidc.entity('AccessToken', stored)
}

export type AccessTokens = {
  /** The handle in a signed access token; null unless this server signed it and it has not expired. */
  open(token: string): Promise<string | null>
  /** Trusts a token that this server has just signed, so that its signature need not be verified. */
  remember(token: string, contents: Contents): void
}

/** What we need of a signed token's payload; `exp` is in seconds since the epoch. */
type Contents = { handle: string; exp: number }

/** How many verified tokens are remembered. */
const MAX_REMEMBERED = 10_000

/**
 * Reads access tokens (RFC 9068) that were signed with any of these keys.
 *
 * Valid signatures are remembered, since a relying party sends the same token again and again. Whether
 * a token is revoked is not remembered: its handle is looked up each time.
 */
export function createAccessTokens(keys: readonly SigningKey[], issuer: string): AccessTokens {
  const keySet = createLocalJWKSet({ keys: keys.map(publicPart) })
  const expected = {
    issuer,
    audience: userinfoUrl(issuer),
    typ: 'at+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['exp', 'jti'],
  }
  const good = new LRUCache<string, Contents>({ max: MAX_REMEMBERED })

  return {
    async open(token) {
      const known = good.get(token)
      if (known) return known.exp > Date.now() / 1_000 ? known.handle : null
      const verified = await verify(token)
      if (verified) good.set(token, verified)
      return verified?.handle ?? null
    },
    remember: (token, contents) => void good.set(token, contents),
  }

  async function verify(token: string) {
    try {
      const { payload } = await jwtVerify(token, keySet, expected)
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
