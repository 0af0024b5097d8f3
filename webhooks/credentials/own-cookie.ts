import type { IncomingHttpHeaders } from 'node:http'
import type { Response } from 'express'

/** A cookie that pages of this origin alone send, and that no script reads. */
type OwnCookie = { name: string; value: string; maxAgeMs: number }

/** Sets a cookie under the name that it has with this base URL. */
export function setOwnCookie(
  response: Response,
  { name, value, maxAgeMs }: OwnCookie,
  baseUrl: string,
): void {
  const options = { ...attributes(baseUrl), maxAge: maxAgeMs }
  response.cookie(nameOnTheWire(name, baseUrl), value, options)
}

/** Takes the cookie back. */
export function clearOwnCookie(response: Response, name: string, baseUrl: string): void {
  response.clearCookie(nameOnTheWire(name, baseUrl), attributes(baseUrl))
}

/** The value of the cookie; null if the request has none. */
export function readOwnCookie(
  headers: IncomingHttpHeaders,
  name: string,
  baseUrl: string,
): string | null {
  const prefix = `${nameOnTheWire(name, baseUrl)}=`
  const pair = headers.cookie?.split(/;\s*/).find((candidate) => candidate.startsWith(prefix))
  return pair?.slice(prefix.length) || null
}

/** Browsers accept the prefix only from HTTPS, and then let no other host or path set the cookie (RFC 6265bis 4.1.3.2). */
function nameOnTheWire(name: string, baseUrl: string): string {
  return isSecure(baseUrl) ? `__Host-${name}` : name
}

function attributes(baseUrl: string) {
  return { httpOnly: true, sameSite: 'strict', secure: isSecure(baseUrl), path: '/' } as const
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}
