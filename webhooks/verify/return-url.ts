/**
 * Where a verified person is sent: the action's URL with the result appended to its query string, which
 * otherwise stays as it was written.
 */
export function returnUrl(own: URL, token: string): string {
  const url = new URL(own)
  const result = new URLSearchParams({ verification_jwt: token, success: 'true' })
  url.search = url.search ? `${url.search}&${result}` : `?${result}`
  return url.href
}
