import { z } from 'zod'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { refuseBearer, requireBearer } from './bearer.ts'
import { betaField } from './claims.ts'
import { type ProviderServices, passOnFromAnyPage } from './pass-on.ts'

/** Spec 2.12; one claim is named after the issuer. */
function claimsOf(issuer: string) {
  return z.strictObject({
    sub: z.string().regex(/^0x[0-9a-f]{64}$/),
    ...betaField(issuer),
    email: z.string().optional(),
    name: z.string().optional(),
    given_name: z.string().optional(),
    family_name: z.string().optional(),
  })
}

/**
 * Prepares `/userinfo` for oidc-provider: takes the token from the header, nowhere else, and replaces it
 * by its handle. Nothing else in a POST matters, so oidc-provider sees it as a GET.
 *
 * @throws unauthenticated, invalid_token
 * @see RFC 6750 2.1 and 3
 */
export function readClaims(
  issuer: string,
  operationId: string,
): Operation<ProviderServices, unknown> {
  return {
    operationId,
    tag: 'Sign-in',
    summary: 'The claims of an access token',
    security: [{ accessToken: [] }],
    answers: { 200: claimsOf(issuer) },
    errors: ['unauthenticated', 'invalid_token', 'unavailable'],
    handle: (services) => async (_input, request, response) => {
      const token = requireBearer(request, response)
      const handle = await services.provider().accessTokens.open(token)
      if (!handle) refuseBearer(response)
      request.headers.authorization = `Bearer ${handle}`
      request.method = 'GET'
      request.url = '/userinfo'
      return passOnFromAnyPage(services, request, response)
    },
  }
}
