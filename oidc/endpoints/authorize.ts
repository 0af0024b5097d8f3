import { stringify } from 'node:querystring'
import type { Request } from 'express'
import { z } from 'zod'
import type { ErrorCode } from '../../lib/runtime/errors.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { showErrorPage } from '../provider/show-errors.ts'
import { type ProviderServices, passOn } from './pass-on.ts'

/** A parameter without which the server knows neither the client nor what it asks for; an empty one counts as absent. */
function required(name: string) {
  return z
    .unknown()
    .refine(Boolean, { error: `${name} is required.`, params: { code: 'required' } })
    .meta({ type: 'string' })
}

/** The same of a parameter that says where to redirect: an error about it cannot be sent to the client. */
function requiredOnce(name: string) {
  return z
    .unknown()
    .refine((value) => !Array.isArray(value), {
      error: `${name} was sent more than once.`,
      params: { code: 'invalid_request' },
    })
    .refine(Boolean, { error: `${name} is required.`, params: { code: 'required' } })
    .meta({ type: 'string' })
}

/** oidc-provider checks it, and can tell the client what is wrong with it. */
const checkedLater = z.unknown().optional().meta({ type: 'string' })

const Parameters = z.looseObject({
  response_type: required('response_type'),
  scope: required('scope'),
  client_id: requiredOnce('client_id'),
  redirect_uri: requiredOnce('redirect_uri'),
  state: checkedLater,
  nonce: checkedLater,
  response_mode: checkedLater,
  code_challenge: checkedLater,
  code_challenge_method: checkedLater,
  ui_locales: checkedLater,
})

/** The parameters of `GET /authorize` (OpenID Connect Core 3.1.2.1); others are for oidc-provider. */
export const AuthorizeInput = z.preprocess(refuseZeroCharacters, Parameters)

type AuthorizeInput = z.infer<typeof AuthorizeInput>

/** Refuses U+0000: no parameter may contain it (RFC 6749 A), and PostgreSQL cannot store it. */
function refuseZeroCharacters(fields: unknown, context: z.RefinementCtx): unknown {
  for (const [name, value] of Object.entries(Object(fields)))
    if (String(value).includes('\0'))
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'This parameter is malformed.',
        params: { code: CODES_OF_MALFORMED.get(name) ?? 'invalid_request' },
      })
  return fields
}

const CODES_OF_MALFORMED = new Map<string, ErrorCode>([
  ['client_id', 'invalid_client_id'],
  ['redirect_uri', 'invalid_redirect_uri'],
])

/**
 * Lets oidc-provider begin a sign-in, once it is known where to send its errors.
 *
 * @throws required, invalid_client_id, invalid_redirect_uri, invalid_request
 */
export const authorize: Operation<ProviderServices, AuthorizeInput> = {
  operationId: 'authorize',
  tag: 'Sign-in',
  summary: "Begin a sign-in, in the person's browser",
  description:
    'Where the operator has set AUTHORIZE_BY_POST, `POST` with a form of these parameters does the same.',
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
    return passOn(services, request, response)
  },
}

/** The fields of a form; one that was sent several times is a list. */
const Texts = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

/** The sign-in page links to the same request with GET, whose parameters Node limits to 16 KiB with all headers. */
const MAX_POSTED_BYTES = 8 * 1_024

/**
 * The same for a form (OpenID Connect Core 3.1.2.1), whose fields become the query of a GET. A query that the POST has is
 * dropped. The caller is a page of another site, so neither request may depend on a cookie.
 */
export const authorizeByPost: Operation<ProviderServices, AuthorizeInput> = {
  ...authorize,
  tag: 'Pages',
  maxBytes: MAX_POSTED_BYTES,
  handle(services) {
    const begin = authorize.handle(services)
    return (input, request, response) => {
      request.method = 'GET'
      request.url = `/authorize?${stringify(Texts.parse(input))}`
      return begin(input, request, response)
    }
  },
}

/** A page that a person comes back to from the sign-in page. */
export const resume: Operation<ProviderServices, unknown> = {
  tag: 'Pages',
  summary: 'Go on to the app after the sign-in page',
  answers: { 200: 'text/html', 303: 'redirect' },
  errors: ['sign_in_expired', 'invalid_client_id', 'invalid_redirect_uri', 'unavailable'],
  errorPage: showErrorPage,
  handle: (services) => (_input, request, response) => passOn(services, request, response),
}

/**
 * Parameters that only OpenID Connect defines. If a request has one but its scope lacks `openid`, the
 * scope is what is wrong, while oidc-provider would complain of the parameter: so they are removed.
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
  // If an id_token is requested, oidc-provider does say that `openid` is missing.
  if (/id_token/.test(String(response_type))) return
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  for (const name of OPENID_PARAMETERS) searchParams.delete(name)
  request.url = `${pathname}?${searchParams}`
}
