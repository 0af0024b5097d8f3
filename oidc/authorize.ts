import type { Request, RequestHandler } from 'express'
import { ApiError, type ErrorCode } from '../lib/errors.ts'

/** Without these nobody can tell who asks, for what, and where to send the answer. */
const REQUIRED = ['response_type', 'scope', 'client_id', 'redirect_uri'] as const

/** Of these, without exactly one of each nobody can be told anything by a redirect. */
const WHERE_TO = new Set<string>(['client_id', 'redirect_uri'])

/**
 * What stands before the library at `GET /authorize`: what is missing is said here, by its name.
 *
 * @throws required, invalid_client_id, invalid_redirect_uri, invalid_request
 */
export const authorize: RequestHandler = (request, _response, next) => {
  // Express reads the address anew each time it is asked.
  const { query } = request
  refuseZeros(query)
  for (const name of REQUIRED) {
    const value = query[name]
    // The others, if they come twice, the library refuses: it can tell the client.
    if (Array.isArray(value) && WHERE_TO.has(name))
      throw new ApiError('invalid_request', {
        attribute: name,
        detail: `${name} was sent more than once.`,
      })
    if (!value) throw new ApiError('required', { attribute: name, detail: `${name} is required.` })
  }
  if (!String(query.scope).split(' ').includes('openid')) leaveOut(request, OF_OPENID)
  next()
}

/**
 * Parameters of OpenID Connect. It is the scope that is wrong with a request that has them and not
 * `openid` in it, but the library would complain of these.
 */
const OF_OPENID = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce']

function leaveOut(request: Request, names: readonly string[]) {
  // With an id_token the library says that it is `openid` that is missing.
  if (/id_token/.test(String(request.query.response_type))) return
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  for (const name of names) searchParams.delete(name)
  request.url = `${pathname}?${searchParams}`
}

/** No parameter may hold this character (RFC 6749 A), and the database could not keep it. */
function refuseZeros(query: Request['query']) {
  for (const [attribute, value] of Object.entries(query)) {
    if (!String(value).includes('\0')) continue
    throw new ApiError(MALFORMED.get(attribute) ?? 'invalid_request', {
      attribute,
      detail: 'This parameter is malformed.',
    })
  }
}

const MALFORMED = new Map<string, ErrorCode>([
  ['client_id', 'invalid_client_id'],
  ['redirect_uri', 'invalid_redirect_uri'],
])
