import type { Adapter } from 'oidc-provider'
import { type Configuration, errors, interactionPolicy, Provider } from 'oidc-provider'
import type { Log } from '../../lib/telemetry/log.ts'
import { RESPONSE_TYPES } from '../clients/clients.ts'
import { withUnavailableErrors } from '../errors/unavailable.ts'
import type { ArtifactStore } from '../storage/artifact-store.ts'
import { noSessions } from '../storage/no-sessions.ts'
import {
  ACCESS_TOKEN_LIFETIME,
  type AccessTokens,
  accessTokens,
  storeHandle,
  userinfoUrl,
} from './access-token.ts'
import { betaClaim, claimsOf, parseAccountId } from './account.ts'
import { answers } from './answers.ts'
import type { SigningKey } from './keys.ts'
import { useRequestScope } from './request-storage.ts'

export type ProviderOptions = {
  issuer: string
  /** The key that signs comes first. */
  keys: readonly [SigningKey, ...SigningKey[]]
  /** The first one signs cookies; signatures of all are accepted. */
  cookieKeys: readonly string[]
  artifacts: Pick<ArtifactStore, 'adapterFor'>
  clients: Adapter
  log: Log
}

export type SignInProvider = {
  library: Provider
  /** Answers a request that the edge has let through. */
  handle: ReturnType<Provider['callback']>
  accessTokens: AccessTokens
}

/** The scopes that we know; others are ignored (OpenID Connect Core 3.1.2.1). */
export const SCOPES = ['openid', 'email', 'profile']

/** How long a person may take to sign in, and a client to redeem the code. In seconds. */
const INTERACTION_LIFETIME = 600
const CODE_LIFETIME = 600

/**
 * Makes the OpenID Connect library with our configuration. It keeps no state, so a new one can replace
 * it between two requests, which happens when the keys change.
 */
export function makeProvider(options: ProviderOptions): SignInProvider {
  const { issuer, keys, log } = options
  const library = new Provider(issuer, configuration(options))
  // Our edge, `asIssuer`, sets x-forwarded-proto, so the library may trust it.
  library.proxy = true
  // For `native` clients, as those of development are, the library would ignore the port.
  library.Client.prototype.redirectUriAllowed = function (uri) {
    return this.redirectUris?.includes(uri) ?? false
  }
  library.on('server_error', (_ctx, error) => log.error({ err: error }, 'failed'))
  const tokens = accessTokens(keys, issuer)
  library.use(answers)
  library.use(rememberSigned(tokens))
  library.use(useRequestScope)
  // Only after use(): callback() fixes the list of middleware.
  return { library, handle: library.callback(), accessTokens: tokens }
}

/** Remembers each token that /token answers, since most clients call /userinfo with it at once. */
function rememberSigned(tokens: AccessTokens): Parameters<Provider['use']>[0] {
  return async (ctx, next) => {
    await next()
    const token = ctx.oidc?.route === 'token' && Object(ctx.body).access_token
    const stored = ctx.oidc?.entities.AccessToken
    if (token && stored?.exp) tokens.remember(token, { handle: stored.jti, exp: stored.exp })
  }
}

function configuration(options: ProviderOptions): Configuration {
  const { issuer, keys, cookieKeys, artifacts, clients } = options
  const userinfo = userinfoUrl(issuer)
  const claims = claimsOf(issuer)
  return {
    adapter: (model) => withUnavailableErrors(adapterOf(model, artifacts, clients)),
    jwks: { keys: [...keys] },
    routes: {
      authorization: '/authorize',
      token: '/token',
      introspection: '/introspect',
      userinfo: '/userinfo',
      jwks: '/jwks',
    },

    // `code` comes first because the order of grant_types_supported follows from this list.
    responseTypes: [...RESPONSE_TYPES],
    scopes: SCOPES,
    claims: {
      openid: ['sub', betaClaim(issuer)],
      email: ['email'],
      profile: ['name', 'given_name', 'family_name'],
    },
    // Otherwise an id_token that is issued with an access token would contain no claims but `sub`.
    conformIdTokenClaims: false,
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: async () => claims(parseAccountId(accountId)),
    }),

    subjectTypes: ['pairwise'],
    pairwiseIdentifier: (_ctx, accountId, client) => {
      const { appId, nullifierHash } = parseAccountId(accountId)
      if (appId !== client.clientId) throw new Error('an account of another app')
      return nullifierHash
    },
    // The library would fetch the URI, but ours is only a placeholder (clients.ts).
    sectorIdentifierUriValidate: () => false,

    // A client may also send its secret in the body; the edge turns that into Basic.
    clientAuthMethods: ['client_secret_basic'],
    clientBasedCORS: (_ctx, origin, client) =>
      (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin),
    pkce: { required: () => false },
    allowOmittingSingleRegisteredRedirectUri: false,

    interactions: {
      url: (_ctx, { uid }) => `/login/${uid}`,
      policy: freshProofPolicy(),
    },
    // Only the grant that this sign-in has made, never an earlier one.
    loadExistingGrant: (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined
    },
    expiresWithSession: () => false,
    cookies: {
      keys: [...cookieKeys],
      names: { interaction: '_interaction', resume: '_resume', session: '_session' },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
      // The session's cookie, which answers.ts removes: signing it would be wasted.
      long: { signed: false },
    },

    ttl: {
      AccessToken: ACCESS_TOKEN_LIFETIME,
      AuthorizationCode: CODE_LIFETIME,
      // Tokens end with their grant, so it must outlive a token that is issued for a code in its last second.
      Grant: ACCESS_TOKEN_LIFETIME + CODE_LIFETIME + 60,
      IdToken: ACCESS_TOKEN_LIFETIME,
      Interaction: INTERACTION_LIFETIME,
      Session: INTERACTION_LIFETIME,
    },
    // Seconds by which the clocks of our instances may differ.
    clockTolerance: 15,

    features: {
      // On by default, and not part of this service.
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },

      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      // The documented way to get signed access tokens: each is for one resource, our /userinfo.
      resourceIndicators: {
        enabled: true,
        defaultResource: () => userinfo,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => {
          if (resource !== userinfo) throw new errors.InvalidTarget()
          return {
            scope: SCOPES.join(' '),
            audience: userinfo,
            accessTokenFormat: 'jwt',
            accessTokenTTL: ACCESS_TOKEN_LIFETIME,
            jwt: { sign: { alg: 'RS256' } },
          }
        },
      },
    },
    formats: { customizers: { jwt: storeHandle } },

    discovery: { registration_endpoint: `${issuer}/register` },
    renderError: (ctx, out) => {
      ctx.body = out
    },
  }
}

function adapterOf(model: string, artifacts: ProviderOptions['artifacts'], clients: Adapter) {
  if (model === 'Client') return clients
  // A person has a different subject in each app, so a session of one app would break the sign-in to
  // another; besides, each sign-in requires a fresh proof.
  return model === 'Session' ? noSessions : artifacts.adapterFor(model)
}

/** One prompt: a proof that was made for this very request. No separate consent is asked for. */
function freshProofPolicy() {
  const { Check, Prompt, base } = interactionPolicy
  const policy = base()
  policy.remove('consent')
  // Apps may request these prompts, which need no check of their own: by the proof a person consents
  // and says who they are.
  for (const name of ['consent', 'select_account']) {
    const prompt = new Prompt({ name, requestable: true })
    prompt.checks.clear()
    policy.add(prompt)
  }
  const login = policy.get('login')
  login?.checks.clear()
  login?.checks.add(
    new Check('fresh_proof', 'a fresh proof is required', 'login_required', (ctx) => {
      if (!ctx.oidc.requestParamOIDCScopes.has('openid'))
        throw new errors.InvalidScope('the scope must include openid', 'openid')
      // The library checks it only when the sign-in begins; the client may have removed it since.
      if (!ctx.oidc.client?.redirectUriAllowed(String(ctx.oidc.params?.redirect_uri)))
        throw new errors.InvalidRedirectUri()
      return ctx.oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT
    }),
  )
  return policy
}
