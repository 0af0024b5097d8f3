import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { z } from 'zod'
import type { Log } from '../../lib/runtime/log/log.ts'
import { present } from '../../lib/runtime/present.ts'
import { type AccessTokens, createAccessTokens } from './access-token.ts'
import { type ConfigurationOptions, libraryConfiguration } from './configuration.ts'
import { finishAnswers } from './finish-answers.ts'
import { useRequestScope } from './request-storage.ts'
import { RespondingProvider } from './response-modes.ts'

export type ProviderOptions = ConfigurationOptions & { log: Log }

export type SignInProvider = {
  library: Provider
  /** Answers a request that our endpoints have let through. */
  handle: ReturnType<Provider['callback']>
  accessTokens: AccessTokens
}

/**
 * Makes the OpenID Connect library with our configuration. It keeps no state, so a new one can replace
 * it between two requests, which happens when the keys change.
 */
export function createProvider({ log, ...options }: ProviderOptions): SignInProvider {
  const { issuer, keys } = options
  const library = new RespondingProvider(issuer, libraryConfiguration(options))
  // `asIssuer` sets x-forwarded-proto, so oidc-provider may trust it.
  library.proxy = true
  // For `native` clients, as those of development are, oidc-provider would ignore the port.
  library.Client.prototype.redirectUriAllowed = function (uri) {
    return present(this.redirectUris, 'the redirect URIs of a client').includes(uri)
  }
  // oidc-provider says `invalid_request`; RFC 6749 4.1.2.1 has a code for a client that may not use a response type.
  library.Client.prototype.responseTypeAllowed = function (type) {
    if (present(this.responseTypes, 'the response types of a client').includes(type)) return true
    throw new errors.UnauthorizedClient('requested response_type is not allowed for this client')
  }
  // oidc-provider adds it only to answers without an id_token; discovery announces it for all (RFC 9207 2).
  library.on('authorization.success', (_ctx, answer) => {
    Object.assign(present(answer, 'the answer'), { iss: issuer })
  })
  library.on('server_error', (_ctx, error) => log.error({ err: error }, 'failed'))
  const accessTokens = createAccessTokens(keys, issuer)
  library.use(finishAnswers)
  library.use(rememberSigned(accessTokens))
  library.use(useRequestScope)
  // Only after use(): callback() fixes the list of middleware.
  return { library, handle: library.callback(), accessTokens }
}

const TokenAnswer = z.object({ access_token: z.string() })

/** Remembers each token that /token answers, since most clients call /userinfo with it at once. */
function rememberSigned(tokens: AccessTokens) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next()
    if (ctx.oidc?.route !== 'token') return
    const { data } = TokenAnswer.safeParse(ctx.body)
    const stored = ctx.oidc.entities.AccessToken
    if (data && stored?.exp)
      tokens.remember(data.access_token, { handle: stored.jti, exp: stored.exp })
  }
}
