import type { Adapter } from 'oidc-provider'
import { type Configuration, errors, interactionPolicy, Provider } from 'oidc-provider'
import type { Log } from '../lib/log.ts'
import {
  ACCESS_TOKEN_LIFETIME,
  type AccessTokens,
  accessTokens,
  storeHandle,
  userinfoUrl,
} from './access-token.ts'
import { betaClaim, claimsOf, parseAccountId } from './account.ts'
import { type Artifacts, noSessions } from './adapter.ts'
import { answers } from './answers.ts'
import { translating } from './away.ts'
import { RESPONSE_TYPES } from './clients.ts'
import type { SigningKey } from './keys.ts'

export type ProviderOptions = {
  issuer: string
  /** The one that signs first. */
  keys: readonly [SigningKey, ...SigningKey[]]
  /** The first one signs, all are accepted. */
  cookieKeys: readonly string[]
  artifacts: Pick<Artifacts, 'adapter'>
  clients: Adapter
  log: Log
}

export type SignInProvider = {
  library: Provider
  /** Answers a request that the edge has let through. */
  handle: ReturnType<Provider['callback']>
  accessTokens: AccessTokens
}

/** What may be asked for; anything else in `scope` is ignored, as OpenID Connect Core 3.1.2.1 has it. */
export const SCOPES = ['openid', 'email', 'profile']

/** How long a person may take for signing in, and a client for redeeming the code. In seconds. */
const INTERACTION_LIFETIME = 600
const CODE_LIFETIME = 600

/**
 * The OpenID Connect library with our configuration. It holds no state, so one can take the place of
 * another between two requests, as it does when the keys change.
 */
export function makeProvider(options: ProviderOptions): SignInProvider {
  const { issuer, keys, log } = options
  const library = new Provider(issuer, configuration(options))
  // It sits behind our edge, which says in x-forwarded-proto how the issuer is reached.
  library.proxy = true
  // For clients of type `native`, as those of development are, the library looks past the port.
  library.Client.prototype.redirectUriAllowed = function (uri) {
    return this.redirectUris?.includes(uri) ?? false
  }
  library.on('server_error', (_ctx, error) => log.error({ err: error }, 'failed'))
  const tokens = accessTokens(keys, issuer)
  library.use(answers)
  library.use(rememberSigned(tokens))
  // After use(): the library composes its middleware here.
  return { library, handle: library.callback(), accessTokens: tokens }
}

/** Clients mostly ask for the claims as soon as they have the token. */
function rememberSigned(tokens: AccessTokens): Parameters<Provider['use']>[0] {
  return async (ctx, next) => {
    await next()
    const token = ctx.oidc?.route === 'token' && Object(ctx.body).access_token
    if (token) tokens.remember(token)
  }
}

function configuration(options: ProviderOptions): Configuration {
  const { issuer, keys, cookieKeys, artifacts, clients } = options
  const userinfo = userinfoUrl(issuer)
  const claims = claimsOf(issuer)
  return {
    adapter: (model) => translating(adapterOf(model, artifacts, clients)),
    jwks: { keys: [...keys] },
    routes: {
      authorization: '/authorize',
      token: '/token',
      introspection: '/introspect',
      userinfo: '/userinfo',
      jwks: '/jwks',
    },

    // `code` first: the library derives the order of grant_types_supported from it.
    responseTypes: [...RESPONSE_TYPES],
    scopes: SCOPES,
    claims: {
      openid: ['sub', betaClaim(issuer)],
      email: ['email'],
      profile: ['name', 'given_name', 'family_name'],
    },
    // Otherwise an id_token beside a code has `sub` alone.
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
    // Ours is a constant that stands for the app; there is nothing to fetch.
    sectorIdentifierUriValidate: () => false,

    // A client may send its secret in the body, too; the edge makes it Basic.
    clientAuthMethods: ['client_secret_basic'],
    clientBasedCORS: (_ctx, origin, client) =>
      (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin),
    pkce: { required: () => false },
    allowOmittingSingleRegisteredRedirectUri: false,

    interactions: {
      url: (_ctx, { uid }) => `/login/${uid}`,
      policy: freshProofPolicy(),
    },
    // The grant made by this very sign-in, never an earlier one.
    loadExistingGrant: (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined
    },
    expiresWithSession: () => false,
    cookies: {
      keys: [...cookieKeys],
      names: { interaction: '_interaction', resume: '_resume', session: '_session' },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
      // Of the session, which nobody is sent (answers.ts): so nobody need sign it.
      long: { signed: false },
    },

    ttl: {
      AccessToken: ACCESS_TOKEN_LIFETIME,
      AuthorizationCode: CODE_LIFETIME,
      // Tokens die with their grant, so it must outlive a token made from a code at its last second.
      Grant: ACCESS_TOKEN_LIFETIME + CODE_LIFETIME + 60,
      IdToken: ACCESS_TOKEN_LIFETIME,
      Interaction: INTERACTION_LIFETIME,
      Session: INTERACTION_LIFETIME,
    },
    // Between the clocks of our instances.
    clockTolerance: 15,

    features: {
      // On unless said otherwise, and not part of this service.
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },

      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      // The documented way to signed access tokens: every token is for one resource, our /userinfo.
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
  // A person's subject differs from app to app, so a session of one app is in the way of another's
  // sign-in; and each sign-in is to be a fresh proof.
  return model === 'Session' ? noSessions : artifacts.adapter(model)
}

/** One prompt: a proof for this very request. What it grants is what was asked for. */
function freshProofPolicy() {
  const { Check, Prompt, base } = interactionPolicy
  const policy = base()
  policy.remove('consent')
  // Whoever asks for these gets them: the person consents, and says who they are, by the proof.
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
      // The library looks at the beginning only, and the client may have given it up since.
      if (!ctx.oidc.client?.redirectUriAllowed(String(ctx.oidc.params?.redirect_uri)))
        throw new errors.InvalidRedirectUri()
      return ctx.oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT
    }),
  )
  return policy
}
