import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import type { FairQueue } from '../../lib/runtime/limits/fair-queue.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { answerByProvider } from './answer-by-provider.ts'
import { betaField } from './claims.ts'
import { awaitClientTurn, awaitCredentialTurn, type TurnServices } from './credential-turn.ts'
import { type HashServices, passHashed, readBasicCredentials } from './credentials.ts'
import { MAX_FORM_BYTES, parameter, replaceForm, requireField } from './oauth-form.ts'

/** The form of `POST /introspect` (spec 4.3, RFC 7662 2.1). */
export const IntrospectInput = z.object({ token: parameter }).meta({ required: ['token'] })

type IntrospectInput = z.infer<typeof IntrospectInput>

/** Returns the schema of the response for a valid token, and for any other token (spec 2.11, RFC 7662 2.2). */
function introspectedOf(issuer: string) {
  const active = z.strictObject({
    active: z.literal(true),
    client_id: z.string(),
    exp: z.int(),
    sub: z.string(),
    ...betaField(issuer),
  })
  const inactive = z.strictObject({
    active: z.literal(false),
    code: z.literal('invalid_token'),
    detail: z.string(),
    attribute: z.string(),
    error: z.string(),
    error_description: z.string(),
  })
  return z.union([active, inactive])
}

export type IntrospectServices = HashServices & TurnServices & { introspections: FairQueue }

/** No token has this handle, because handles are 43 characters long. */
const NO_HANDLE = 'none'

/**
 * Prepares `POST /introspect` for oidc-provider, which knows only the handles of tokens. Replaces the signed token with its
 * handle.
 *
 * @throws unauthenticated, required, rate_limited
 */
export function introspectToken(issuer: string): Operation<IntrospectServices, IntrospectInput> {
  return {
    operationId: 'introspect',
    tag: 'Sign-in',
    summary: 'Introspect an access token',
    security: [{ client: [] }],
    answers: { 200: introspectedOf(issuer) },
    errors: ['required', 'unauthenticated', 'rate_limited', 'unavailable'],
    maxBytes: MAX_FORM_BYTES,
    invalid: 'invalid_request',
    handle: (services) => async (input, request, response) => {
      const credentials = readBasicCredentials(request)
      if (!credentials) throw new ApiError('unauthenticated')
      const token = requireField(input.token, 'token')
      const exchange = { request, response }
      await awaitCredentialTurn(services, credentials, exchange)
      await awaitClientTurn(services.introspections, credentials.clientId, exchange)
      await passHashed(request, credentials, services)
      const handle = await services.provider().accessTokens.findHandle(token)
      replaceForm(request, { token: handle ?? NO_HANDLE })
      return answerByProvider(services, request, response)
    },
  }
}
