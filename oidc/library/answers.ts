import { createHash } from 'node:crypto'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { ApiError, type ErrorCode } from '../../lib/errors.ts'
import { errorAnswer } from '../../lib/http/error-answer.ts'
import { requestContext } from '../../lib/http/request-context.ts'
import { signInErrorBody } from '../errors/error-body.ts'
import { putIntoWords } from '../errors/worded-errors.ts'
import { renderErrorPage } from '../page/error-page.ts'

type Answer = (ctx: KoaContextWithOIDC) => void

/**
 * Middleware that gives the library's answers the form that this service promises: its fields, its
 * headers, and error bodies for both kinds of clients (error-body.ts).
 */
export async function answers(ctx: KoaContextWithOIDC, next: () => Promise<void>) {
  await next()
  if (!ctx.oidc) return
  withoutSessionCookie(ctx)
  // The library would allow it to the client's own pages, and to any page if the client is unknown.
  if (ctx.oidc.route === 'introspection') ctx.remove('access-control-allow-origin')
  if (ctx.status >= 400 && isErrorBody(ctx.body)) return refuse(ctx, ctx.body)
  finish[ctx.oidc.route]?.(ctx)
}

const finish: Record<string, Answer> = {
  discovery: (ctx) => {
    const document = Object(ctx.body)
    // The library lists the claim about sessions, although we keep none.
    const claims_supported = document.claims_supported.filter((name: string) => name !== 'sid')
    Object.assign(document, DISCOVERY, { claims_supported })
    ctx.set('cache-control', 'public, max-age=300')
  },
  jwks: (ctx) => {
    ctx.set('cache-control', 'public, max-age=300')
  },
  token: (ctx) => {
    // Modern caches obey `no-store`, which is already set; RFC 6749 5.1 requires both.
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

/** The specification's values, where they differ from those that the library derives. */
const DISCOVERY = {
  response_types_supported: ['code', 'id_token', 'id_token token', 'code id_token'],
  response_modes_supported: ['query', 'fragment', 'form_post'],
  // The specification says `RSA`; without `RS256` strict clients refuse every token.
  id_token_signing_alg_values_supported: ['RSA', 'RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
}

/** We keep no sessions, so their cookie would be sent for nothing. */
function withoutSessionCookie(ctx: KoaContextWithOIDC) {
  const cookies = ctx.response.get('set-cookie')
  if (!Array.isArray(cookies)) return
  const kept = cookies.filter((cookie) => !cookie.startsWith('_session'))
  if (kept.length > 0) ctx.set('set-cookie', kept)
  else ctx.remove('set-cookie')
}

/**
 * Protects the page that posts a response to the relying party: it may run only its own script, and be
 * in no frame.
 *
 * It may post to any host over HTTPS: browsers apply `form-action` to the relying party's redirects,
 * too, and would leave the person on a blank page if these lead to another host.
 */
function guardPage(ctx: KoaContextWithOIDC) {
  ctx.set({ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' })
  // The body of a redirect is a line of HTML, which needs no policy.
  if (typeof ctx.body !== 'string' || ctx.type !== 'text/html' || ctx.response.get('location'))
    return
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(ctx.body) ?? []
  const digest = createHash('sha256').update(script).digest('base64')
  const { origin } = new URL(String(ctx.oidc.params?.redirect_uri))
  ctx.set({
    'content-security-policy': `default-src 'none'; script-src 'sha256-${digest}'; form-action https: ${origin}; frame-ancestors 'none'; base-uri 'none'`,
    // Websites that check which origin posts to them see ours; with `no-referrer` it would be `null`.
    'referrer-policy': 'strict-origin',
  })
}

type ErrorBody = { error: string; error_description?: string }

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof Object(body).error === 'string'
}

/** Our code for each of the library's errors; for any other it is `invalid_request`. */
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

/** By route: our codes for errors about which a person who signs in can do something. */
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
  // The library's descriptions are written for developers, ours for the person who signs in.
  const failure = new ApiError(code, {
    attribute: ATTRIBUTES[code],
    ...(detail && !own && { detail }),
  })
  refuseWith(ctx, failure, { error })
  // Strict libraries ignore the body of an answer with a challenge: only who sent the header gets one.
  if (!ctx.req.rawHeaders.some((name) => name.toLowerCase() === 'authorization'))
    ctx.remove('www-authenticate')
}

function refuseWith(ctx: KoaContextWithOIDC, failure: ApiError, extra: object) {
  requestContext.get(ctx.res).errorCode = failure.code
  const page = isForPeople(ctx) && ctx.accepts('json', 'html') === 'html'
  const { status, headers, body } = errorAnswer(
    failure,
    {
      page: page ? renderErrorPage(failure) : null,
      body: (error, detail) => ({ ...signInErrorBody(error, detail), ...extra }),
    },
    null,
  )
  ctx.status = status
  ctx.set(headers)
  ctx.body = body
}

/** Whether this route is usually requested by a person's browser. */
function isForPeople(ctx: KoaContextWithOIDC): boolean {
  return ctx.oidc.route in FOR_PEOPLE
}
