import { createLocalJWKSet, type JWK, jwtVerify } from 'jose'
import type { Configuration } from 'oidc-provider'
import type { SigningKey } from './keys.ts'

type Formats = NonNullable<Configuration['formats']>
type Customize = NonNullable<NonNullable<Formats['customizers']>['jwt']>

/** In seconds. */
export const ACCESS_TOKEN_LIFETIME = 3_600

/** The one resource that our access tokens are for. */
export function userinfoUrl(issuer: string): string {
  return `${issuer}/userinfo`
}

/**
 * Makes a signed access token revocable: beside it a token of the library's own is stored, whose
 * handle becomes the `jti` of the signed one.
 *
 * The library accepts handles only, and clients are given signed tokens only; `accessTokens` stands
 * between. A handle from outside is refused there, so knowing one is worth nothing.
 */
export const storeHandle: Customize = async (ctx, token, { payload }) => {
  const { accountId, client, grantId, gty, scope, exp } = Object(token)
  const { AccessToken } = ctx.oidc.provider
  const stored = new AccessToken({
    accountId,
    client,
    grantId,
    gty,
    scope,
    exp: payload.exp ?? exp,
  })
  payload.jti = await stored.save()
}

export type AccessTokens = {
  /** The handle in a signed access token; null unless this server signed it and it has not expired. */
  open(token: string): Promise<string | null>
}

/** Reads access tokens (RFC 9068) that were signed with any of these keys. */
export function accessTokens(keys: readonly SigningKey[], issuer: string): AccessTokens {
  const keySet = createLocalJWKSet({ keys: keys.map(publicHalf) })
  const expected = {
    issuer,
    audience: userinfoUrl(issuer),
    typ: 'at+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['exp', 'jti'],
  }
  return {
    async open(token) {
      try {
        const { payload } = await jwtVerify(token, keySet, expected)
        return payload.jti ?? null
      } catch {
        return null
      }
    },
  }
}

function publicHalf({ kty, e, n, kid, alg, use }: SigningKey): JWK {
  return { kty, e, n, kid, alg, use }
}
