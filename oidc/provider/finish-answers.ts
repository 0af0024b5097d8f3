import type { KoaContextWithOIDC } from 'oidc-provider'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { present } from '../../lib/runtime/present.ts'
import { signInErrorBody } from '../errors/error-body.ts'
import { LANGUAGES } from '../page/texts.ts'
import { betaClaim, claimAboutProof, parseAccountId } from './account.ts'
import { LibraryErrorBody, rewriteError } from './answer-error.ts'

/**
 * Middleware that gives oidc-provider's answers the form that this service promises: its fields, its
 * headers, and error bodies for both kinds of clients (errors/error-body.ts).
 */
export async function finishAnswers(ctx: KoaContextWithOIDC, next: () => Promise<void>) {
  await next()
  if (!ctx.oidc) return
  removeSessionCookie(ctx)
  // oidc-provider would allow it to the client's own pages, and to any page if the client is unknown.
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

/** What is done with the successful answers of each of oidc-provider's routes. */
const FINISH_BY_ROUTE: Record<string, (ctx: KoaContextWithOIDC) => void> = {
  discovery: (ctx) => {
    const document = DiscoveryDocument.parse(ctx.body)
    // oidc-provider lists the claim about sessions, although we keep none.
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
  authorization: forbidFrames,
  resume: forbidFrames,
}

/** Whatever a browser gets from here is no part of another page. */
function forbidFrames(ctx: KoaContextWithOIDC) {
  ctx.set('x-frame-options', 'DENY')
}

/** Not an error (RFC 7662 2.2), so its status is 200. The specification has a code for it. */
const INACTIVE = new ApiError('invalid_token', { attribute: 'token' })

/** The claim about the proof, of the person whose token is introspected. */
function proofOfToken({ oidc: { entities, issuer } }: KoaContextWithOIDC) {
  const { accountId } = present(entities.AccessToken, 'the introspected token')
  return { [betaClaim(issuer)]: claimAboutProof(parseAccountId(accountId)) }
}

/** The specification's values, where they differ from those that oidc-provider derives. */
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
