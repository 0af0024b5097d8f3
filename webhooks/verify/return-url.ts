/**
 * Returns the URL for a verified person: the action's URL with the result appended to the query string. The rest of
 * the query string stays unchanged.
 */
export function returnUrl(actionUrl: URL, token: string): string {
  const url = new URL(actionUrl)
  const result = new URLSearchParams({ verification_jwt: token, success: 'true' })
  url.search = url.search ? `${url.search}&${result}` : `?${result}`
  return url.href
}
