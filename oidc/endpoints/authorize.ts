import { stringify } from 'node:querystring'
import type { Request } from 'express'
import { z } from 'zod'
import type { ErrorCode } from '../../lib/runtime/errors.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { showErrorPage } from '../provider/show-errors.ts'
import { answerByProvider, type ProviderServices } from './answer-by-provider.ts'

/** A parameter that every request must have. An empty value counts as absent. */
function requiredParameter(name: string) {
  return z
    .unknown()
    .refine(Boolean, { error: `${name} is required.`, params: { code: 'required' } })
    .meta({ type: 'string' })
}

/**
 * A parameter that decides the redirect URI. It must be sent exactly once; errors about it cannot be sent to the
 * client.
 */
function requiredOnceParameter(name: string) {
  return z
    .unknown()
    .refine((value) => !Array.isArray(value), {
      error: `${name} was sent more than once.`,
      params: { code: 'invalid_request' },
    })
    .refine(Boolean, { error: `${name} is required.`, params: { code: 'required' } })
    .meta({ type: 'string' })
}

/** A parameter that oidc-provider checks. oidc-provider can send errors about it to the client. */
const uncheckedParameter = z.unknown().optional().meta({ type: 'string' })

const Parameters = z.looseObject({
  response_type: requiredParameter('response_type'),
  scope: requiredParameter('scope'),
  client_id: requiredOnceParameter('client_id'),
  redirect_uri: requiredOnceParameter('redirect_uri'),
  state: uncheckedParameter,
  nonce: uncheckedParameter,
  response_mode: uncheckedParameter,
  code_challenge: uncheckedParameter,
  code_challenge_method: uncheckedParameter,
  ui_locales: uncheckedParameter,
})

/**
 * The parameters of `GET /authorize` (OpenID Connect Core 3.1.2.1). Other parameters are passed on to oidc-provider.
 */
export const AuthorizeInput = z.preprocess(refuseZeroCharacters, Parameters)

type AuthorizeInput = z.infer<typeof AuthorizeInput>

/** Rejects U+0000: RFC 6749 A forbids it in parameters, and PostgreSQL cannot store it. */
function refuseZeroCharacters(fields: unknown, context: z.RefinementCtx): unknown {
  for (const [name, value] of Object.entries(Object(fields)))
    if (String(value).includes('\0'))
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `${name} must not contain the character U+0000.`,
        params: { code: CODES_OF_MALFORMED.get(name) ?? 'invalid_request' },
      })
  return fields
}

const CODES_OF_MALFORMED = new Map<string, ErrorCode>([
  ['client_id', 'invalid_client_id'],
  ['redirect_uri', 'invalid_redirect_uri'],
])

/**
 * Lets oidc-provider begin a sign-in, after `AuthorizeInput` has checked the required parameters.
 *
 * @throws required, invalid_client_id, invalid_redirect_uri, invalid_request
 */
export const authorize: Operation<ProviderServices, AuthorizeInput> = {
  operationId: 'authorize',
  appField: 'client_id',
  tag: 'Sign-in',
  summary: "Begin a sign-in, in the person's browser",
  description:
    'If the operator has set AUTHORIZE_BY_POST, `POST` with a form of these parameters does the same.',
  answers: { 303: 'redirect' },
  errors: [
    'required',
    'invalid_client_id',
    'invalid_redirect_uri',
    'invalid_request',
    'unavailable',
  ],
  errorPage: showErrorPage,
  invalid: 'invalid_request',
  handle: (services) => (input, request, response) => {
    dropOpenIdParameters(request, input)
    return answerByProvider(services, request, response)
  },
}

/** The fields of a form. A field that was sent several times is a list. */
const FormFields = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

/** The sign-in page repeats the request with GET. Node limits the URL and the headers of a GET to 16 KiB together. */
const MAX_POSTED_BYTES = 8 * 1_024

/**
 * Begins a sign-in from a POSTed form (OpenID Connect Core 3.1.2.1): turns its fields into the query of a GET, and
 * drops the query of the POST. Browsers send no `SameSite=Lax` cookie with a form of another site, so the beginning of a
 * sign-in may not depend on a cookie.
 */
export const authorizeByPost: Operation<ProviderServices, AuthorizeInput> = {
  ...authorize,
  tag: 'Pages',
  maxBytes: MAX_POSTED_BYTES,
  handle(services) {
    const begin = authorize.handle(services)
    return (input, request, response) => {
      request.method = 'GET'
      request.url = `/authorize?${stringify(FormFields.parse(input))}`
      return begin(input, request, response)
    }
  },
}

/** Continues to the app when a person returns from the sign-in page. */
export const resume: Operation<ProviderServices, unknown> = {
  tag: 'Pages',
  summary: 'Continue to the app after the sign-in page',
  answers: { 200: 'text/html', 303: 'redirect' },
  errors: ['sign_in_expired', 'invalid_client_id', 'invalid_redirect_uri', 'unavailable'],
  errorPage: showErrorPage,
  handle: (services) => (_input, request, response) =>
    answerByProvider(services, request, response),
}

/**
 * Parameters that only OpenID Connect defines. If the scope of a request lacks `openid`, the scope is the mistake.
 * oidc-provider would report the parameter instead, so the parameter is removed.
 */
const OPENID_PARAMETERS = [
  'acr_values',
  'claims',
  'claims_locales',
  'id_token_hint',
  'max_age',
  'nonce',
]

function dropOpenIdParameters(request: Request, { scope, response_type }: AuthorizeInput) {
  if (String(scope).split(' ').includes('openid')) return
  // If an id_token is requested, oidc-provider reports that `openid` is missing.
  if (/id_token/.test(String(response_type))) return
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  for (const name of OPENID_PARAMETERS) searchParams.delete(name)
  request.url = `${pathname}?${searchParams}`
}
