import type { KoaContextWithOIDC } from 'oidc-provider'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { signInErrorBody } from '../errors/error-body.ts'
import { LANGUAGES } from '../page/texts.ts'
import { betaClaim, claimAboutProof, parseAccountId } from './account.ts'
import { LibraryErrorBody, rewriteError } from './answer-error.ts'

/**
 * Middleware that gives oidc-provider's responses the fields, headers and error bodies (errors/error-body.ts) that
 * this service documents.
 */
export async function finishAnswers(ctx: KoaContextWithOIDC, next: () => Promise<void>) {
  await next()
  if (!ctx.oidc) return
  removeSessionCookie(ctx)
  // oidc-provider would allow introspection to pages of the client, and to any page if the client is unknown.
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

/** The changes to successful responses, by oidc-provider's route. */
const FINISH_BY_ROUTE: Record<string, (ctx: KoaContextWithOIDC) => void> = {
  discovery: (ctx) => {
    const document = DiscoveryDocument.parse(ctx.body)
    // oidc-provider lists the session claim `sid`, although this server keeps no sessions.
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
    // RFC 6749 5.1 requires this header in addition to `no-store`, which is already set.
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

/** Forbids browsers to show a response in a frame of another page. */
function forbidFrames(ctx: KoaContextWithOIDC) {
  ctx.set('x-frame-options', 'DENY')
}

/**
 * The body for an inactive token. It is not an error (RFC 7662 2.2), so the status is 200. Our specification requires a
 * code (spec 4.3).
 */
const INACTIVE = new ApiError('invalid_token', { attribute: 'token' })

/** Returns the claim about the proof behind the introspected token. */
function proofOfToken({ oidc: { entities, issuer } }: KoaContextWithOIDC) {
  const { accountId } = requireValue(entities.AccessToken, 'the introspected token')
  return { [betaClaim(issuer)]: claimAboutProof(parseAccountId(accountId)) }
}

/** The fields of the discovery document that replace oidc-provider's values, or that oidc-provider lacks. */
const DISCOVERY = {
  response_types_supported: ['code', 'id_token', 'id_token token', 'code id_token'],
  response_modes_supported: ['query', 'fragment', 'form_post'],
  // Our specification requires `RSA`. Without `RS256`, strict clients would reject every token.
  id_token_signing_alg_values_supported: ['RSA', 'RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
  ui_locales_supported: LANGUAGES,
}

/** Removes the session cookie, because this server keeps no sessions. */
function removeSessionCookie(ctx: KoaContextWithOIDC) {
  const cookies = ctx.res.getHeader('set-cookie')
  if (!Array.isArray(cookies)) return
  const otherCookies = cookies.filter((cookie) => !cookie.startsWith('_session'))
  if (otherCookies.length > 0) ctx.set('set-cookie', otherCookies)
  else ctx.remove('set-cookie')
}
