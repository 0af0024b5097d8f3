import type { KoaContextWithOIDC } from 'oidc-provider'
import { present } from '../../lib/runtime/present.ts'

/** Descriptions for errors of an authorization request to which the library gives none. */
const DESCRIPTIONS: Record<string, string> = {
  request_not_supported: 'the request parameter is not supported',
  request_uri_not_supported: 'the request_uri parameter is not supported',
  registration_not_supported: 'the registration parameter is not supported',
}

const ERRORS = Object.keys(DESCRIPTIONS).join('|')
const IN_REDIRECT = new RegExp(`[?&#]error=(${ERRORS})(?=&)`)
const IN_FORM = new RegExp(`<input type="hidden" name="error" value="(${ERRORS})"/>`)

/**
 * Of a response type that is not registered the library says `invalid_request`; RFC 6749 4.1.2.1 has a code for a client
 * that may not use it.
 */
const NOT_REGISTERED =
  /(?<=[?&#]error=|name="error" value=")invalid_request(?=(?:&|"\/>\s*<input [^>]*name=")error_description(?:=|" value=")requested(?:%20|\+| )response_type(?:%20|\+| )is(?:%20|\+| )not)/

/** Says that a client may not use a response type, in a redirect or a form. */
export function nameUnauthorizedClient(ctx: KoaContextWithOIDC) {
  const location = ctx.response.get('location')
  if (location) ctx.set('location', location.replace(NOT_REGISTERED, 'unauthorized_client'))
  else if (typeof ctx.body === 'string')
    ctx.body = ctx.body.replace(NOT_REGISTERED, 'unauthorized_client')
}

/** Adds the missing `error_description` to an error that is sent to a client, in a redirect or a form. */
export function addMissingDescription(ctx: KoaContextWithOIDC) {
  const location = ctx.response.get('location')
  if (location)
    ctx.set(
      'location',
      location.replace(IN_REDIRECT, (field: string, error: string) => {
        const added = new URLSearchParams({ error_description: descriptionOf(error) })
        return `${field}&${added}`
      }),
    )
  else if (typeof ctx.body === 'string')
    ctx.body = ctx.body.replace(
      IN_FORM,
      (field: string, error: string) =>
        `${field}\n<input type="hidden" name="error_description" value="${descriptionOf(error)}"/>`,
    )
}

function descriptionOf(error: string): string {
  return present(DESCRIPTIONS[error], `the description of ${error}`)
}
