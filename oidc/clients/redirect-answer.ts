/** Where the parameters of an answer go in a redirect URI. */
export type RedirectPart = 'query' | 'fragment'

/**
 * The redirect URI with an answer added to it. The URI stays as it was registered, byte for byte (RFC 6749 3.1.2): a
 * URL parser would rewrite a query such as `?/callback`.
 */
export function addToRedirect(
  redirectUri: string,
  part: RedirectPart,
  answer: URLSearchParams,
): string {
  if (part === 'fragment') return `${redirectUri}#${answer}`
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${answer}`
}
