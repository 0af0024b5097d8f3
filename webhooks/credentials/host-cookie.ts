import type { IncomingHttpHeaders } from 'node:http'
import type { Response } from 'express'

/** A cookie that scripts cannot read. Browsers do not send it with requests that other sites cause (`SameSite=Strict`). */
type HostCookie = { name: string; value: string; maxAgeMs: number }

/** Sets a cookie. Over HTTPS its name gets the prefix `__Host-`. */
export function setHostCookie(
  response: Response,
  { name, value, maxAgeMs }: HostCookie,
  baseUrl: string,
): void {
  const options = { ...attributes(baseUrl), maxAge: maxAgeMs }
  response.cookie(nameOnTheWire(name, baseUrl), value, options)
}

/** Deletes the cookie. */
export function clearHostCookie(response: Response, name: string, baseUrl: string): void {
  response.clearCookie(nameOnTheWire(name, baseUrl), attributes(baseUrl))
}

/** Returns the value of the cookie, or null if the request does not have it. */
export function readHostCookie(
  headers: IncomingHttpHeaders,
  name: string,
  baseUrl: string,
): string | null {
  const prefix = `${nameOnTheWire(name, baseUrl)}=`
  const pair = headers.cookie?.split(/;\s*/).find((candidate) => candidate.startsWith(prefix))
  return pair?.slice(prefix.length) || null
}

/**
 * Adds the prefix `__Host-` for HTTPS, so that no other host can set the cookie. Over plain HTTP, browsers reject a cookie
 * with the prefix (RFC 6265bis 4.1.3.2).
 */
function nameOnTheWire(name: string, baseUrl: string): string {
  return isSecure(baseUrl) ? `__Host-${name}` : name
}

function attributes(baseUrl: string) {
  return { httpOnly: true, sameSite: 'strict', secure: isSecure(baseUrl), path: '/' } as const
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}
