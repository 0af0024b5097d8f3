import type { Request, Response } from 'express'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import type { SignInProvider } from '../provider/provider.ts'
import { answerByProvider } from './answer-by-provider.ts'
import { awaitCredentialTurn, type TurnServices } from './credential-turn.ts'
import { type Credentials, passHashed, readBasicCredentials } from './credentials.ts'
import { MAX_FORM_BYTES, parameter, replaceForm, requireField } from './oauth-form.ts'
import { tokenClient } from './rate-limits.ts'

/** The form of `POST /token` (spec 4.3, RFC 6749 4.1.3, RFC 7636 4.5). Other fields are ignored. */
export const TokenInput = z
  .object({
    grant_type: parameter.meta({ const: 'authorization_code' }),
    code: parameter,
    redirect_uri: parameter,
    code_verifier: parameter,
    client_id: parameter,
    client_secret: parameter,
  })
  .meta({ required: ['grant_type', 'code'] })

type TokenInput = z.infer<typeof TokenInput>

/** The response (spec 2.10). */
const Tokens = z.strictObject({
  access_token: z.jwt(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  scope: z.string(),
  id_token: z.jwt(),
})

export type TokenServices = TurnServices & {
  provider: () => SignInProvider
  clientSecretPeppers: Secrets
}

/**
 * Prepares `POST /token` for oidc-provider, which exchanges the code for tokens. Accepts credentials in the header or
 * in the body. Fills in the redirect URI, which a client may omit (spec 4.3).
 *
 * oidc-provider reads the code, uses it up and stores the token through storage/artifact-store.ts. There,
 * `useUpOrRevoke` rejects the second use of a code.
 *
 * @throws invalid_request, unauthenticated, required, invalid_grant_type, rate_limited
 */
export const exchangeCode: Operation<TokenServices, TokenInput> = {
  operationId: 'exchangeCode',
  appField: 'client_id',
  tag: 'Sign-in',
  summary: 'Exchange a code for tokens',
  security: [{ client: [] }, {}],
  answers: { 200: Tokens },
  errors: ['required', 'invalid_grant_type', 'invalid_grant', 'unauthenticated', 'unavailable'],
  maxBytes: MAX_FORM_BYTES,
  invalid: 'invalid_request',
  identify: (services) => (input, request, response) =>
    identifyClient(services, input, { request, response }),
  handle: (services) => async (input, request, response) => {
    const grant_type = requireField(input.grant_type, 'grant_type')
    if (grant_type !== 'authorization_code')
      throw new ApiError('invalid_grant_type', { attribute: 'grant_type' })
    const code = requireField(input.code, 'code')
    const redirect_uri = input.redirect_uri ?? (await findRedirectUri(code, services.provider()))
    const { client_id, code_verifier } = input
    replaceForm(request, { grant_type, code, redirect_uri, client_id, code_verifier })
    return answerByProvider(services, request, response)
  },
}

/**
 * Sets `tokenClient`, by which the rate limit counts the request. Prepares the credentials for oidc-provider, which
 * checks them.
 */
async function identifyClient(
  services: TokenServices,
  input: TokenInput,
  exchange: { request: Request; response: Response },
): Promise<void> {
  const credentials = readCredentials(exchange.request, input)
  tokenClient.set(exchange.response, credentials.clientId)
  await awaitCredentialTurn(services, credentials, exchange)
  if (credentials.secret === NO_SECRET) await requirePublicClient(services, credentials.clientId)
  else await passHashed(exchange.request, credentials, services)
}

/**
 * Reads the credentials from the header or from the body; a request may not have both (RFC 6749 2.3). A public client
 * sends only its id, in the body.
 *
 * @throws invalid_request, unauthenticated
 */
function readCredentials(request: Request, { client_id, client_secret }: TokenInput): Credentials {
  const basic = readBasicCredentials(request)
  if (basic && client_secret !== undefined)
    throw new ApiError('invalid_request', {
      detail:
        'Send the credentials either in the Authorization header or in the body, not in both.',
    })
  if (basic) return basic
  if (client_id === undefined) throw new ApiError('unauthenticated')
  return { clientId: client_id, secret: client_secret ?? NO_SECRET }
}

/** The `secret` of a client without a secret. A secret that a client sends is never empty. */
const NO_SECRET = ''

/** @throws unauthenticated unless the client is public, and so has no secret (RFC 6749 2.1) */
async function requirePublicClient({ provider }: TokenServices, clientId: string) {
  const client = await provider().library.Client.find(clientId)
  if (client?.clientAuthMethod !== 'none') throw new ApiError('unauthenticated')
}

/**
 * Returns the redirect URI that received the code, for a request without `redirect_uri`. oidc-provider rejects a
 * request with another redirect URI. OAuth 2.1 has dropped the parameter, because PKCE gives better protection.
 */
async function findRedirectUri(code: string, { library }: SignInProvider): Promise<string> {
  const storedCode = await library.AuthorizationCode.find(code, { ignoreExpiration: true })
  // For an unknown code any URI will do: oidc-provider requires a URI before it rejects the code.
  return storedCode?.redirectUri ?? library.issuer
}
