/**
 * Where a verified person is sent: the action's own address with the result behind its own query,
 * which stays as it was written, and before its fragment.
 */
export function returnUrl(own: URL, token: string): string {
  const url = new URL(own)
  const result = new URLSearchParams({ verification_jwt: token, success: 'true' })
  url.search = url.search ? `${url.search}&${result}` : `?${result}`
  return url.href
}
