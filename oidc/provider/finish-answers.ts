import { createHash } from 'node:crypto'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { present } from '../../lib/runtime/present.ts'
import { signInErrorBody } from '../errors/error-body.ts'
import { addMissingDescription, nameUnauthorizedClient } from '../errors/missing-descriptions.ts'
import { LANGUAGES } from '../page/texts.ts'
import { betaClaim, claimAboutProof, parseAccountId } from './account.ts'
import { LibraryErrorBody, rewriteError } from './answer-error.ts'
import { retainQuery } from './retain-query.ts'

/**
 * Middleware that gives the library's answers the form that this service promises: its fields, its
 * headers, and error bodies for both kinds of clients (errors/error-body.ts).
 */
export async function finishAnswers(ctx: KoaContextWithOIDC, next: () => Promise<void>) {
  await next()
  if (!ctx.oidc) return
  removeSessionCookie(ctx)
  // The library would allow it to the client's own pages, and to any page if the client is unknown.
  if (ctx.oidc.route === 'introspection') ctx.remove('access-control-allow-origin')
  const refusal = ctx.status >= 400 ? LibraryErrorBody.safeParse(ctx.body).data : undefined
  if (refusal) rewriteError(ctx, refusal)
  else FINISH_BY_ROUTE[ctx.oidc.route]?.(ctx)
}

const DiscoveryDocument = z.record(z.string(), z.unknown())
const ClaimNames = z.array(z.string())

const Introspection = z.object({
  active: z.boolean(),
  client_id: z.string().optional(),
  exp: z.number().optional(),
  sub: z.string().optional(),
})

/** What is done with the successful answers of each of the library's routes. */
const FINISH_BY_ROUTE: Record<string, (ctx: KoaContextWithOIDC) => void> = {
  discovery: (ctx) => {
    const document = DiscoveryDocument.parse(ctx.body)
    // The library lists the claim about sessions, although we keep none.
    const claims_supported = ClaimNames.parse(document.claims_supported).filter(
      (name) => name !== 'sid',
    )
    ctx.body = { ...document, ...DISCOVERY, claims_supported }
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
    const { active, client_id, exp, sub } = Introspection.parse(ctx.body)
    ctx.body = active
      ? { active, client_id, exp, sub, ...proofOfToken(ctx) }
      : { active, ...signInErrorBody(INACTIVE, INACTIVE.message) }
  },
  authorization: (ctx) => {
    addMissingDescription(ctx)
    nameUnauthorizedClient(ctx)
    finishResponse(ctx)
  },
  resume: finishResponse,
}

function finishResponse(ctx: KoaContextWithOIDC) {
  retainQuery(ctx)
  protectFormPost(ctx)
}

/** Not an error (RFC 7662 2.2), so its status is 200. The specification has a code for it. */
const INACTIVE = new ApiError('invalid_token', { attribute: 'token' })

/** The claim about the proof, of the person whose token is introspected. */
function proofOfToken({ oidc: { entities, issuer } }: KoaContextWithOIDC) {
  const { accountId } = present(entities.AccessToken, 'the introspected token')
  return { [betaClaim(issuer)]: claimAboutProof(parseAccountId(accountId)) }
}

/** The specification's values, where they differ from those that the library derives. */
const DISCOVERY = {
  response_types_supported: ['code', 'id_token', 'id_token token', 'code id_token'],
  response_modes_supported: ['query', 'fragment', 'form_post'],
  // The specification says `RSA`; without `RS256` strict clients refuse every token.
  id_token_signing_alg_values_supported: ['RSA', 'RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
  ui_locales_supported: LANGUAGES,
}

/** We keep no sessions, so their cookie would be sent for nothing. */
function removeSessionCookie(ctx: KoaContextWithOIDC) {
  const cookies = ctx.res.getHeader('set-cookie')
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
function protectFormPost(ctx: KoaContextWithOIDC) {
  ctx.set({ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' })
  // The body of a redirect is a line of HTML, which needs no policy.
  if (typeof ctx.body !== 'string' || ctx.type !== 'text/html' || ctx.response.get('location'))
    return
  const [, inScript] = /<script>([\s\S]*?)<\/script>/.exec(ctx.body) ?? []
  const script = present(inScript, 'the script of the page that posts a response')
  const digest = createHash('sha256').update(script).digest('base64')
  const { origin } = new URL(String(present(ctx.oidc.params, 'the parameters').redirect_uri))
  ctx.set({
    'content-security-policy': `default-src 'none'; script-src 'sha256-${digest}'; form-action https: ${origin}; frame-ancestors 'none'; base-uri 'none'`,
    // Websites that check which origin posts to them see ours; with `no-referrer` it would be `null`.
    'referrer-policy': 'strict-origin',
  })
}
