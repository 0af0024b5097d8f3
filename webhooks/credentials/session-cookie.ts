import type { IncomingHttpHeaders } from 'node:http'
import type { Response } from 'express'
import { clearHostCookie, readHostCookie, setHostCookie } from './host-cookie.ts'
import { LOGIN_TOKEN_LIFETIME_MS } from './login-token.ts'

/** Not `session`, a name that many libraries use: all websites on `localhost` share their cookies. */
const NAME = 'portal_session'

/** Stores a login's token in the browser, in a cookie that scripts cannot read. */
export function setSessionCookie(response: Response, token: string, baseUrl: string): void {
  setHostCookie(response, { name: NAME, value: token, maxAgeMs: LOGIN_TOKEN_LIFETIME_MS }, baseUrl)
}

/** Deletes the cookie. */
export function clearSessionCookie(response: Response, baseUrl: string): void {
  clearHostCookie(response, NAME, baseUrl)
}

/**
 * Returns the login token in the cookie of a request from the portal's page. Returns null without the cookie, and if
 * another website may have caused the request.
 */
export function sessionToken(headers: IncomingHttpHeaders, baseUrl: string): string | null {
  if (!isFromSameOrigin(headers, baseUrl)) return null
  return readHostCookie(headers, NAME, baseUrl)
}

/**
 * Returns the `Authorization` header of a GraphQL request. Without this header, returns a header with the token from the
 * portal's cookie.
 */
export function readAuthorization(
  headers: IncomingHttpHeaders,
  baseUrl: string,
): string | undefined {
  if (headers.authorization !== undefined) return headers.authorization
  const token = sessionToken(headers, baseUrl)
  return token === null ? undefined : `Bearer ${token}`
}

/**
 * True if the browser says that a page of this origin sent the request. Browsers say this with `Sec-Fetch-Site`. Old
 * browsers, and all browsers over plain HTTP, send only `Origin`, and neither header with GET. So the portal's GET
 * requests have the header `X-Requested-With`, which a page of another site cannot send with cookies.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function isFromSameOrigin(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = headers
  if (origin === undefined) return headers['x-requested-with'] === 'portal'
  // A developer may have opened 127.0.0.1 instead of localhost.
  return origin === new URL(baseUrl).origin || URL.parse(origin)?.host === host
}
