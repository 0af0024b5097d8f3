import type { RequestHandler } from 'express'
import { requireField } from './form.ts'

/** Without these nobody can tell who asks, for what, and where to send the answer. */
const REQUIRED = ['response_type', 'scope', 'client_id', 'redirect_uri'] as const

/**
 * What stands before the library at `GET /authorize`: what is missing is said here, by its name.
 *
 * @throws required
 */
export const authorize: RequestHandler = (request, _response, next) => {
  for (const name of REQUIRED) {
    const value = request.query[name]
    // One that came twice is the library's to refuse.
    requireField(value === '' ? undefined : String(value ?? '') || undefined, name)
  }
  next()
}
