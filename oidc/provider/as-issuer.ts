import type { RequestHandler } from 'express'

/**
 * Makes every request look as if it were sent to the issuer's host, whatever the caller's headers and
 * request line say: from the host and scheme oidc-provider derives addresses and whether cookies are
 * secure.
 */
export function asIssuer(issuer: string): RequestHandler {
  const { host, protocol } = new URL(issuer)
  return (request, _response, next) => {
    request.headers.host = host
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete request.headers['x-forwarded-host']
    // An absolute request line: `GET https://elsewhere/token`.
    request.url = request.originalUrl = request.url.replace(/^[a-z]+:\/\/[^/?]*/i, '') || '/'
    next()
  }
}
