/** The value of the header `WWW-Authenticate`, which every response with status 401 has (RFC 6750). */
export const BEARER_CHALLENGE = 'Bearer realm="api"'

/** Returns the token of an `Authorization: Bearer <token>` header, or an empty text. */
export function bearerToken(authorization = ''): string {
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
  return token ?? ''
}
