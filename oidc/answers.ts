import { createHash } from 'node:crypto'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { ApiError, type ErrorCode } from '../lib/errors.ts'
import { renderPage } from './page/error-page.ts'
import { asBoth } from './reply.ts'
import { putIntoWords } from './worded-errors.ts'

type Answer = (ctx: KoaContextWithOIDC) => void

/**
 * Gives the library's answers the form that this service promises: fields, error bodies in both
 * dialects, headers.
 */
export async function answers(ctx: KoaContextWithOIDC, next: () => Promise<void>) {
  await next()
  if (!ctx.oidc) return
  withoutSessionCookie(ctx)
  // The library would share it with the client's own pages, and with all when none is named.
  if (ctx.oidc.route === 'introspection') ctx.remove('access-control-allow-origin')
  if (ctx.status >= 400 && isErrorBody(ctx.body)) return refuse(ctx, ctx.body)
  finish[ctx.oidc.route]?.(ctx)
}

const finish: Record<string, Answer> = {
  discovery: (ctx) => {
    const document = Object(ctx.body)
    // The library names the claim about sessions though none is kept.
    const claims_supported = document.claims_supported.filter((name: string) => name !== 'sid')
    Object.assign(document, DISCOVERY, { claims_supported })
    ctx.set('cache-control', 'public, max-age=300')
  },
  jwks: (ctx) => {
    ctx.set('cache-control', 'public, max-age=300')
  },
  token: (ctx) => {
    // Caches of today go by `no-store`, which is there already; RFC 6749 5.1 wants both.
    ctx.set('pragma', 'no-cache')
  },
  introspection: (ctx) => {
    const { active, client_id, exp, sub } = Object(ctx.body)
    if (active) ctx.body = { active, client_id, exp, sub }
    else refuseWith(ctx, new ApiError('invalid_token', { attribute: 'token' }), { active: false })
  },
  authorization: (ctx) => {
    putIntoWords(ctx)
    guardPage(ctx)
  },
  resume: guardPage,
}

/** Where the specification's values are not those that the library derives. */
const DISCOVERY = {
  response_types_supported: ['code', 'id_token', 'id_token token', 'code id_token'],
  response_modes_supported: ['query', 'fragment', 'form_post'],
  // `RSA` is the specification's; without `RS256` strict clients refuse every token.
  id_token_signing_alg_values_supported: ['RSA', 'RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
}

/** No session is kept, so its cookie would only be carried to and fro. */
function withoutSessionCookie(ctx: KoaContextWithOIDC) {
  const cookies = ctx.response.get('set-cookie')
  if (!Array.isArray(cookies)) return
  const kept = cookies.filter((cookie) => !cookie.startsWith('_session'))
  if (kept.length > 0) ctx.set('set-cookie', kept)
  else ctx.remove('set-cookie')
}

/**
 * The page that posts a response to the relying party: only its own script, in no frame.
 *
 * It may post to any host over HTTPS: browsers hold `form-action` against the relying party's own
 * redirects, too, and would leave the person on a blank page when these lead to another host.
 */
function guardPage(ctx: KoaContextWithOIDC) {
  ctx.set({ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' })
  // A redirect has a few words of HTML, too.
  if (typeof ctx.body !== 'string' || ctx.type !== 'text/html' || ctx.response.get('location'))
    return
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(ctx.body) ?? []
  const digest = createHash('sha256').update(script).digest('base64')
  const { origin } = new URL(String(ctx.oidc.params?.redirect_uri))
  ctx.set({
    'content-security-policy': `default-src 'none'; script-src 'sha256-${digest}'; form-action https: ${origin}; frame-ancestors 'none'; base-uri 'none'`,
    // Websites that look at who posts to them see us; without a referrer they would see `Origin: null`.
    'referrer-policy': 'strict-origin',
  })
}

type ErrorBody = { error: string; error_description?: string }

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof Object(body).error === 'string'
}

/** Our codes for the library's; all others are `invalid_request`. */
const CODES: Record<string, ErrorCode> = {
  invalid_client: 'unauthenticated',
  unsupported_grant_type: 'invalid_grant_type',
  invalid_grant: 'invalid_grant',
  invalid_token: 'invalid_token',
  invalid_redirect_uri: 'invalid_redirect_uri',
  invalid_scope: 'invalid_scope',
  temporarily_unavailable: 'unavailable',
  server_error: 'internal_error',
}

/** Our codes, by the path, for what a person can do something about. */
const FOR_PEOPLE: Record<string, Record<string, ErrorCode>> = {
  authorization: { invalid_client: 'invalid_client_id' },
  resume: { invalid_client: 'invalid_client_id', invalid_request: 'sign_in_expired' },
}

const ATTRIBUTES: Partial<Record<ErrorCode, string>> = {
  invalid_redirect_uri: 'redirect_uri',
  invalid_client_id: 'client_id',
  invalid_grant: 'code',
  invalid_grant_type: 'grant_type',
  invalid_token: 'token',
  invalid_scope: 'scope',
}

function refuse(ctx: KoaContextWithOIDC, { error, error_description: detail }: ErrorBody) {
  const own = FOR_PEOPLE[ctx.oidc.route]?.[error]
  const code = own ?? CODES[error] ?? 'invalid_request'
  // The library's words are for developers, ours for whoever signs in.
  const failure = new ApiError(code, {
    attribute: ATTRIBUTES[code],
    ...(detail && !own && { detail }),
  })
  refuseWith(ctx, failure, { error })
  // A challenge to a client that sent no header hides the body from strict libraries.
  if (!ctx.req.rawHeaders.some((name) => name.toLowerCase() === 'authorization'))
    ctx.remove('www-authenticate')
}

function refuseWith(ctx: KoaContextWithOIDC, failure: ApiError, extra: object) {
  ctx.status = failure.status
  Object(ctx.res).locals.code = failure.code
  if (failure.status === 503) ctx.set('retry-after', '1')
  ctx.set('cache-control', 'no-store')
  if (isForPeople(ctx) && ctx.accepts('json', 'html') === 'html') {
    const { html, headers } = renderPage({
      title: 'This sign-in cannot go on',
      text: failure.message,
    })
    ctx.set(headers)
    ctx.type = 'html'
    ctx.body = html
  } else ctx.body = { ...asBoth(failure), ...extra }
}

/** Whether a person's browser is what usually asks here. */
function isForPeople(ctx: KoaContextWithOIDC): boolean {
  return ctx.oidc.route in FOR_PEOPLE
}
