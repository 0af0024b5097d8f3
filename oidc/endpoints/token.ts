import type { Request, RequestHandler } from 'express'
import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import { requestValue } from '../../lib/http/request-value.ts'
import type { Secrets } from '../../lib/secrets/secret.ts'
import type { SignInProvider } from '../library/provider.ts'
import { basicCredentials, type Credentials, presentHashed } from './credentials.ts'
import { readFields, readForm, replaceBody, requireField } from './form.ts'
import { tokenClient } from './rate-limits.ts'

/** The form of `POST /token` (spec 4.3, RFC 6749 4.1.3, RFC 7636 4.5); other fields are ignored. */
const TokenInput = z.object({
  grant_type: z.string().optional(),
  code: z.string().optional(),
  redirect_uri: z.string().optional(),
  code_verifier: z.string().optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
})

type Input = z.infer<typeof TokenInput>

const tokenInput = requestValue<Input>('the parsed form')

export type TokenServices = {
  provider: () => SignInProvider
  clientSecretPeppers: Secrets
}

/**
 * Runs before the library at `POST /token`: accepts credentials in the header or in the body, and fills
 * in the redirect URI, which the specification's clients need not repeat.
 *
 * @param limit the rate limit, which counts for the client in `tokenClient`
 * @throws invalid_content_type, unauthenticated, required, invalid_grant_type
 */
export function token(services: TokenServices, limit: RequestHandler): RequestHandler[] {
  const identify: RequestHandler = async (request, response, next) => {
    const input = readFields(TokenInput, request.body)
    const credentials = credentialsOf(request, input)
    tokenInput.set(response, input)
    tokenClient.set(response, credentials.clientId)
    await presentHashed(request, credentials, services)
    next()
  }
  const prepare: RequestHandler = async (request, response, next) => {
    const input = tokenInput.get(response)
    const grant_type = requireField(input.grant_type, 'grant_type')
    if (grant_type !== 'authorization_code')
      throw new ApiError('invalid_grant_type', { attribute: 'grant_type' })
    const code = requireField(input.code, 'code')
    const redirect_uri = input.redirect_uri ?? (await redirectOf(code, services.provider()))
    const { client_id, code_verifier } = input
    replaceBody(request, { grant_type, code, redirect_uri, client_id, code_verifier })
    next()
  }
  return [...readForm, identify, limit, prepare]
}

/**
 * Reads the credentials, which may be in the header or in the body, but not in both (RFC 6749 2.3).
 *
 * @throws invalid_request, unauthenticated
 */
function credentialsOf(request: Request, { client_id, client_secret }: Input): Credentials {
  const basic = basicCredentials(request)
  if (basic && client_secret !== undefined)
    throw new ApiError('invalid_request', { detail: 'Send the credentials in one way only.' })
  if (basic) return basic
  if (client_id === undefined || client_secret === undefined) throw new ApiError('unauthenticated')
  return { clientId: client_id, secret: client_secret }
}

/**
 * The redirect URI to which the code was sent, for a request without one. (The library refuses a
 * request that names a different one.) The parameter protects against what PKCE prevents better, and
 * OAuth 2.1 has dropped it.
 */
async function redirectOf(code: string, { library }: SignInProvider): Promise<string> {
  const found = await library.AuthorizationCode.find(code, { ignoreExpiration: true })
  // The library will say that the code does not exist; before that it requires any URI.
  return found?.redirectUri ?? library.issuer
}
