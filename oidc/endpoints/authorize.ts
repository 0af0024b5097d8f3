import express, { type Request, type RequestHandler } from 'express'
import { ApiError, type ErrorCode } from '../../lib/runtime/errors.ts'
import { requireForm } from './form.ts'

/** Parameters without which we know neither who asks nor for what nor where to send the answer. */
const REQUIRED = ['response_type', 'scope', 'client_id', 'redirect_uri'] as const

/** Those which say where to redirect: an error about one of these can't be redirected to the client. */
const REDIRECTING = new Set<string>(['client_id', 'redirect_uri'])

/**
 * Runs before the library at `GET /authorize`, to name the parameter that is missing.
 *
 * @throws required, invalid_client_id, invalid_redirect_uri, invalid_request
 */
export const checkAuthorizeQuery: RequestHandler = (request, _response, next) => {
  // Read once: Express parses the URL each time that `query` is accessed.
  const { query } = request
  refuseZeroCharacters(query)
  for (const name of REQUIRED) {
    const value = query[name]
    // Other parameters that are sent twice are refused by the library, which can tell the client.
    if (Array.isArray(value) && REDIRECTING.has(name))
      throw new ApiError('invalid_request', {
        attribute: name,
        detail: `${name} was sent more than once.`,
      })
    if (!value) throw new ApiError('required', { attribute: name, detail: `${name} is required.` })
  }
  if (!String(query.scope).split(' ').includes('openid'))
    removeParameters(request, OPENID_PARAMETERS)
  next()
}

/** The sign-in page links to the same request with GET, whose parameters Node limits to 16 KiB with all headers. */
const MAX_POSTED_BYTES = 8 * 1_024

/**
 * Makes `POST /authorize` the `GET` with the form's fields as its query (OpenID Connect Core 3.1.2.1). A query that the
 * POST has is dropped. The caller is a page of another site, so neither request may depend on a cookie.
 *
 * @throws invalid_content_type, payload_too_large
 */
export const readPostedRequest: RequestHandler[] = [
  requireForm,
  express.text({ type: () => true, limit: MAX_POSTED_BYTES }),
  (request: Request<object, unknown, unknown>, _response, next) => {
    request.method = 'GET'
    request.url = `/authorize?${new URLSearchParams(String(request.body ?? ''))}`
    next()
  },
]

/**
 * Parameters that only OpenID Connect defines. If a request has one but its scope lacks `openid`, the
 * scope is what is wrong, while the library would complain of the parameter: so they are removed.
 */
const OPENID_PARAMETERS = [
  'acr_values',
  'claims',
  'claims_locales',
  'id_token_hint',
  'max_age',
  'nonce',
]

function removeParameters(request: Request, names: readonly string[]) {
  // If an id_token is requested, the library does say that `openid` is missing.
  if (/id_token/.test(String(request.query.response_type))) return
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  for (const name of names) searchParams.delete(name)
  request.url = `${pathname}?${searchParams}`
}

/** Refuses U+0000: no parameter may contain it (RFC 6749 A), and PostgreSQL cannot store it. */
function refuseZeroCharacters(query: Request['query']) {
  for (const [attribute, value] of Object.entries(query)) {
    if (!String(value).includes('\0')) continue
    throw new ApiError(CODES_OF_MALFORMED.get(attribute) ?? 'invalid_request', {
      attribute,
      detail: 'This parameter is malformed.',
    })
  }
}

const CODES_OF_MALFORMED = new Map<string, ErrorCode>([
  ['client_id', 'invalid_client_id'],
  ['redirect_uri', 'invalid_redirect_uri'],
])
