import { addToRedirect } from '../../clients/redirect-answer.ts'

/** The parameters of an authorization request that oidc-provider has checked. */
type Parameters = Readonly<Record<string, unknown>>

/**
 * Returns two URLs for the page that people see if the server cannot continue their sign-in, for example because it has expired.
 * `restartUrl` repeats the authorization request. `cancelUrl` returns to the app with `access_denied` (RFC 6749 4.1.2.1,
 * RFC 9207), or with `login_required` for the response mode `form_post`.
 */
export function exitLinks(issuer: string, parameters: Parameters) {
  const entries = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  )
  const request = new URLSearchParams(entries)
  return {
    restartUrl: `/authorize?${request}`,
    cancelUrl: linkToApp(issuer, request),
  }
}

function linkToApp(issuer: string, request: URLSearchParams): string {
  const { redirect_uri = '', response_type, response_mode, state } = Object.fromEntries(request)
  const mode = response_mode ?? (response_type === 'code' ? 'query' : 'fragment')
  // The page cannot post a form to the app. With `prompt=none`, oidc-provider posts the error `login_required`.
  if (mode === 'form_post') return `/authorize?${replacePrompt(request, 'none')}`
  const error = { error: 'access_denied', error_description: 'The person did not sign in.' }
  const answer = new URLSearchParams({ ...error, ...(state && { state }), iss: issuer })
  return addToRedirect(redirect_uri, mode === 'fragment' ? 'fragment' : 'query', answer)
}

function replacePrompt(request: URLSearchParams, prompt: string): URLSearchParams {
  const parameters = new URLSearchParams(request)
  parameters.set('prompt', prompt)
  return parameters
}
