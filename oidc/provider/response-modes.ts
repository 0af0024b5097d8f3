import { type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { addToRedirect } from '../clients/redirect-answer.ts'
import { renderFormPost } from '../page/form-post-page.ts'

/** An answer to an authorization request, or the error that it ended with. */
type Answer = Record<string, unknown>
type Respond = (ctx: KoaContextWithOIDC, redirectUri: string, answer: Answer) => void

/** The ways to send an answer to a client, in place of those of oidc-provider. */
const RESPONSE_MODES = new Map<string, Respond>([
  ['query', redirectWith('query')],
  ['fragment', redirectWith('fragment')],
  ['form_post', postForm],
])

/**
 * An oidc-provider that sends answers in our response modes. Its constructor registers its own modes, and a mode
 * that is registered cannot be replaced later.
 */
export class RespondingProvider extends Provider {
  override registerResponseMode(name: string, respond: Respond) {
    super.registerResponseMode(name, RESPONSE_MODES.get(name) ?? respond)
  }
}

/**
 * Sends the browser to the redirect URI as it was registered, with the answer added to it. oidc-provider and Koa would
 * parse the URI and write its query anew.
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

/** Answers a page that posts the answer to the redirect URI (OAuth 2.0 Form Post Response Mode). */
function postForm(ctx: KoaContextWithOIDC, redirectUri: string, answer: Answer) {
  const { html, headers } = renderFormPost(redirectUri, fieldsOf(answer))
  if (ctx.status !== 500) ctx.status = 'error' in answer ? 400 : 200
  ctx.type = 'html'
  ctx.set(headers)
  ctx.body = html
}

/** Descriptions for the errors to which oidc-provider gives none. */
const DESCRIPTIONS = new Map([
  ['request_not_supported', 'the request parameter is not supported'],
  ['request_uri_not_supported', 'the request_uri parameter is not supported'],
  ['registration_not_supported', 'the registration parameter is not supported'],
])

/** The fields of an answer as text; every error has a description. */
function fieldsOf({ error, ...answer }: Answer): [string, string][] {
  const description = DESCRIPTIONS.get(String(error))
  const described =
    error === undefined
      ? answer
      : { error, ...(description && { error_description: description }), ...answer }
  return Object.entries(described).map(([name, value]) => [name, String(value)])
}
