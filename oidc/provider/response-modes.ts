import { type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { addToRedirect } from '../clients/redirect-answer.ts'
import { renderFormPost } from '../page/form-post-page.ts'

/** A successful or failed response to an authorization request. */
type Answer = Record<string, unknown>
type Respond = (ctx: KoaContextWithOIDC, redirectUri: string, answer: Answer) => void

/** The functions that send a response to a client. They replace oidc-provider's functions. */
const RESPONSE_MODES = new Map<string, Respond>([
  ['query', redirectWith('query')],
  ['fragment', redirectWith('fragment')],
  ['form_post', postForm],
])

/**
 * An oidc-provider with our response modes. oidc-provider's constructor registers the default modes, and a registered
 * mode cannot be replaced later.
 */
export class RespondingProvider extends Provider {
  override registerResponseMode(name: string, respond: Respond) {
    super.registerResponseMode(name, RESPONSE_MODES.get(name) ?? respond)
  }
}

/**
 * Sends the browser to the redirect URI as it was registered, with the response added. oidc-provider and Koa would
 * parse the URI and rewrite its query.
 *
 * @see RFC 6749 3.1.2
 */
function redirectWith(part: 'query' | 'fragment'): Respond {
  return (ctx, redirectUri, answer) => {
    const location = addToRedirect(redirectUri, part, new URLSearchParams(fieldsOf(answer)))
    ctx.status = 303
    ctx.redirect(location)
    ctx.set('location', location)
  }
}

/** Sends a page that posts the response to the redirect URI (OAuth 2.0 Form Post Response Mode). */
function postForm(ctx: KoaContextWithOIDC, redirectUri: string, answer: Answer) {
  const { html, headers } = renderFormPost(redirectUri, fieldsOf(answer))
  if (ctx.status !== 500) ctx.status = 'error' in answer ? 400 : 200
  ctx.type = 'html'
  ctx.set(headers)
  ctx.body = html
}

/** Descriptions for the errors that oidc-provider does not describe. */
const DESCRIPTIONS = new Map([
  ['request_not_supported', 'the request parameter is not supported'],
  ['request_uri_not_supported', 'the request_uri parameter is not supported'],
  ['registration_not_supported', 'the registration parameter is not supported'],
])

/** Returns the fields of a response as text, and adds a description to errors without one. */
function fieldsOf({ error, ...answer }: Answer): [string, string][] {
  const description = DESCRIPTIONS.get(String(error))
  const fields =
    error === undefined
      ? answer
      : { error, ...(description && { error_description: description }), ...answer }
  return Object.entries(fields).map(([name, value]) => [name, String(value)])
}
