import type { IncomingHttpHeaders } from 'node:http'
import type { Response } from 'express'
import { LOGIN_TOKEN_LIFETIME_MS } from './login-token.ts'
import { clearOwnCookie, readOwnCookie, setOwnCookie } from './own-cookie.ts'

/** Not `session`, as many libraries call theirs: cookies are of a host, and on one's own machine all websites are `localhost`. */
const NAME = 'portal_session'

/** Gives the portal's page in this browser a login's token, which no script can read. */
export function setSessionCookie(response: Response, token: string, baseUrl: string): void {
  setOwnCookie(response, { name: NAME, value: token, maxAgeMs: LOGIN_TOKEN_LIFETIME_MS }, baseUrl)
}

/** Takes it back. */
export function clearSessionCookie(response: Response, baseUrl: string): void {
  clearOwnCookie(response, NAME, baseUrl)
}

/**
 * The token of the login that a request of the portal's page is made with; null for requests that another website
 * may have caused, whatever cookie they carry.
 */
export function sessionToken(headers: IncomingHttpHeaders, baseUrl: string): string | null {
  if (!isFromOwnPage(headers, baseUrl)) return null
  return readOwnCookie(headers, NAME, baseUrl)
}

/**
 * The `Authorization` that a GraphQL request is to be handled with: its own, or else that of the portal's page.
 */
export function ownAuthorization(
  headers: IncomingHttpHeaders,
  baseUrl: string,
): string | undefined {
  if (headers.authorization !== undefined) return headers.authorization
  const token = sessionToken(headers, baseUrl)
  return token === null ? undefined : `Bearer ${token}`
}

/**
 * Whether a browser says that a request is from a page of this same origin: in `Sec-Fetch-Site`, or in `Origin` when it
 * opens a WebSocket, or is too old for the other. What says neither is not from a page of ours.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = headers
  if (origin === undefined) return false
  // Someone at this machine may have opened its other name: 127.0.0.1 for localhost.
  return origin === new URL(baseUrl).origin || URL.parse(origin)?.host === host
}
