import type { KoaContextWithOIDC } from 'oidc-provider'

/** Descriptions for errors of an authorization request to which the library gives none. */
const WORDS: Record<string, string> = {
  request_not_supported: 'the request parameter is not supported',
  request_uri_not_supported: 'the request_uri parameter is not supported',
  registration_not_supported: 'the registration parameter is not supported',
}

const NAMES = Object.keys(WORDS).join('|')
const IN_REDIRECT = new RegExp(`[?&#]error=(${NAMES})(?=&)`)
const IN_FORM = new RegExp(`<input type="hidden" name="error" value="(${NAMES})"/>`)

/** Adds the missing `error_description` to an error that is sent to a client, in a redirect or a form. */
export function putIntoWords(ctx: KoaContextWithOIDC) {
  const location = ctx.response.get('location')
  if (location)
    ctx.set(
      'location',
      location.replace(IN_REDIRECT, (field, error) => `${field}&${encoded(error)}`),
    )
  else if (typeof ctx.body === 'string')
    ctx.body = ctx.body.replace(
      IN_FORM,
      (field, error) =>
        `${field}\n<input type="hidden" name="error_description" value="${WORDS[error]}"/>`,
    )
}

function encoded(error: string): string {
  return String(new URLSearchParams({ error_description: WORDS[error] ?? '' }))
}
