/** The part of a redirect URI that carries the parameters of a response. */
export type RedirectPart = 'query' | 'fragment'

/**
 * Adds a response to a redirect URI, and keeps the registered URI byte for byte (RFC 6749 3.1.2). A URL parser would
 * rewrite a query such as `?/callback`.
 */
export function addToRedirect(
  redirectUri: string,
  part: RedirectPart,
  answer: URLSearchParams,
): string {
  if (part === 'fragment') return `${redirectUri}#${answer}`
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${answer}`
}
