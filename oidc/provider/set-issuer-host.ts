import type { RequestHandler } from 'express'

/**
 * Replaces the host and scheme of every request with the issuer's. oidc-provider derives URLs and the `Secure`
 * attribute of cookies from them, so a caller must not control them.
 */
export function setIssuerHost(issuer: string): RequestHandler {
  const { host, protocol } = new URL(issuer)
  return (request, _response, next) => {
    request.headers.host = host
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete request.headers['x-forwarded-host']
    // The request line may contain an absolute URL: `GET https://elsewhere/token`.
    request.url = request.originalUrl = request.url.replace(/^[a-z]+:\/\/[^/?]*/i, '') || '/'
    next()
  }
}
