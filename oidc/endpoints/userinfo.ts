import { z } from 'zod'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { answerAnyOrigin, type ProviderServices } from './answer-by-provider.ts'
import { refuseBearer, requireBearer } from './bearer.ts'
import { betaField } from './claims.ts'

/** Returns the schema of the claims (spec 2.12). The name of one claim contains the issuer. */
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
 * Prepares `/userinfo` for oidc-provider: reads the token only from the header, and replaces the token with its
 * handle. Turns a POST into a GET, because only the token matters.
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
      const handle = await services.provider().accessTokens.findHandle(token)
      if (!handle) refuseBearer(response)
      request.headers.authorization = `Bearer ${handle}`
      request.method = 'GET'
      request.url = '/userinfo'
      return answerAnyOrigin(services, request, response)
    },
  }
}
