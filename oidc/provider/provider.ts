import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { z } from 'zod'
import { defaultsOfCode } from '../../lib/runtime/errors.ts'
import type { Log } from '../../lib/runtime/log/log.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { type AccessTokens, createAccessTokens } from './access-token.ts'
import { recordRedirectedError } from './answer-error.ts'
import { type ConfigurationOptions, libraryConfiguration } from './configuration.ts'
import { finishAnswers } from './finish-answers.ts'
import { useRequestScope } from './request-storage.ts'
import { RespondingProvider } from './response-modes.ts'

export type ProviderOptions = ConfigurationOptions & { log: Log }

export type SignInProvider = {
  library: Provider
  /** Answers a request that our endpoints have passed on. */
  handle: ReturnType<Provider['callback']>
  accessTokens: AccessTokens
}

/**
 * Creates oidc-provider with our configuration. The provider keeps no state except a cache of tokens. So a new provider
 * can replace it between two requests when the keys change.
 */
export function createProvider({ log, ...options }: ProviderOptions): SignInProvider {
  const { issuer, keys } = options
  const library = new RespondingProvider(issuer, libraryConfiguration(options))
  // oidc-provider may trust x-forwarded-proto, because `setIssuerHost` sets it.
  library.proxy = true
  // For a `native` client, oidc-provider would ignore the port of a redirect URI on the local machine. Clients in
  // development are `native`.
  library.Client.prototype.redirectUriAllowed = function (uri) {
    return requireValue(this.redirectUris, 'the redirect URIs of a client').includes(uri)
  }
  // oidc-provider would send `invalid_request`; for this case RFC 6749 4.1.2.1 requires `unauthorized_client`.
  library.Client.prototype.responseTypeAllowed = function (type) {
    if (requireValue(this.responseTypes, 'the response types of a client').includes(type))
      return true
    throw new errors.UnauthorizedClient('requested response_type is not allowed for this client')
  }
  // oidc-provider adds `iss` only to responses without an id_token; discovery announces it for all responses (RFC
  // 9207 2).
  library.on('authorization.success', (_ctx, answer) => {
    Object.assign(requireValue(answer, 'the answer'), { iss: issuer })
  })
  library.on('authorization.error', recordRedirectedError)
  library.on('server_error', (ctx, error) => {
    log.error({ err: error }, 'failed')
    recordRedirectedError(ctx, SERVER_ERROR)
  })
  const accessTokens = createAccessTokens(keys, issuer)
  library.use(finishAnswers)
  library.use(cacheSignedTokens(accessTokens))
  library.use(useRequestScope)
  // callback() must come after use(), because it fixes the list of middleware.
  return { library, handle: library.callback(), accessTokens }
}

/** The error that oidc-provider sends instead of an unexpected error. */
const SERVER_ERROR = {
  error: 'server_error',
  error_description: defaultsOfCode('internal_error').detail,
}

const TokenAnswer = z.object({ access_token: z.string() })

/** Caches each token that /token issues, because a client often calls /userinfo with the token immediately. */
function cacheSignedTokens(tokens: AccessTokens) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next()
    if (ctx.oidc?.route !== 'token') return
    const { data } = TokenAnswer.safeParse(ctx.body)
    const token = ctx.oidc.entities.AccessToken
    if (data && token?.exp)
      tokens.cacheToken(data.access_token, { handle: token.jti, exp: token.exp })
  }
}
