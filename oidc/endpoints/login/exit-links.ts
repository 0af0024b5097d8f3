import { addToRedirect } from '../../clients/redirect-answer.ts'

/** The parameters of an authorization request, which oidc-provider has checked. */
type Parameters = Readonly<Record<string, unknown>>

/**
 * Where a person goes on from a sign-in that has ended, of which the server knows nothing any more: to the same request
 * again, or back to the app with `access_denied` (RFC 6749 4.1.2.1, RFC 9207).
 */
export function waysOut(issuer: string, parameters: Parameters) {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  )
  const request = new URLSearchParams(given)
  return {
    restartAt: `/authorize?${request}`,
    leaveTo: backToApp(issuer, request),
  }
}

function backToApp(issuer: string, request: URLSearchParams): string {
  const { redirect_uri = '', response_type, response_mode, state } = Object.fromEntries(request)
  const mode = response_mode ?? (response_type === 'code' ? 'query' : 'fragment')
  // A page cannot post to the app by itself: oidc-provider does, and says `login_required`.
  if (mode === 'form_post') return `/authorize?${withPrompt(request, 'none')}`
  const error = { error: 'access_denied', error_description: 'The person did not sign in.' }
  const answer = new URLSearchParams({ ...error, ...(state && { state }), iss: issuer })
  return addToRedirect(redirect_uri, mode === 'fragment' ? 'fragment' : 'query', answer)
}

function withPrompt(request: URLSearchParams, prompt: string): URLSearchParams {
  const changed = new URLSearchParams(request)
  changed.set('prompt', prompt)
  return changed
}
