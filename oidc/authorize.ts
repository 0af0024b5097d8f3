import type { Request, RequestHandler } from 'express'
import { ApiError, type ErrorCode } from '../lib/errors.ts'
import { requireField } from './form.ts'

/** Without these nobody can tell who asks, for what, and where to send the answer. */
const REQUIRED = ['response_type', 'scope', 'client_id', 'redirect_uri'] as const

/**
 * What stands before the library at `GET /authorize`: what is missing is said here, by its name.
 *
 * @throws required, invalid_client_id, invalid_redirect_uri, invalid_request
 */
export const authorize: RequestHandler = (request, _response, next) => {
  refuseZeros(request.query)
  for (const name of REQUIRED) {
    const value = request.query[name]
    // One that came twice is the library's to refuse.
    requireField(value === '' ? undefined : String(value ?? '') || undefined, name)
  }
  next()
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
