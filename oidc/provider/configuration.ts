import { type Adapter, type Configuration, errors } from 'oidc-provider'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { RESPONSE_TYPES } from '../clients/response-types.ts'
import { withUnavailableErrors } from '../errors/unavailable.ts'
import type { ArtifactStore } from '../storage/artifact-store.ts'
import { noSessions } from '../storage/no-sessions.ts'
import { ACCESS_TOKEN_SECONDS, storeHandle, userinfoUrl } from './access-token.ts'
import { accountClaims, betaClaim, parseAccountId } from './account.ts'
import { freshProofPolicy } from './fresh-proof-policy.ts'
import { SCOPES } from './scopes.ts'
import type { SigningKey } from './signing-keys.ts'

export type ConfigurationOptions = {
  issuer: string
  /** The signing key comes first. */
  keys: readonly [SigningKey, ...SigningKey[]]
  /** The first key signs cookies; signatures by any of the keys are accepted. */
  cookieKeys: readonly string[]
  artifacts: Pick<ArtifactStore, 'adapterFor'>
  clients: Adapter
}

/** Returns the configuration of oidc-provider. */
export function libraryConfiguration(options: ConfigurationOptions): Configuration {
  const { issuer, keys, cookieKeys, artifacts, clients } = options
  return {
    adapter: (model) => withUnavailableErrors(adapterFor(model, artifacts, clients)),
    jwks: { keys: [...keys] },
    ...endpointSettings(issuer),
    ...claimSettings(issuer),
    ...pairwiseSettings(),
    ...clientSettings(),
    ...interactionSettings(),
    ...cookieSettings(cookieKeys),
    ...lifetimeSettings(),
    ...featureSettings(issuer),
  }
}

function adapterFor(
  model: string,
  artifacts: ConfigurationOptions['artifacts'],
  clients: Adapter,
): Adapter {
  if (model === 'Client') return clients
  // No session is kept. A person has a different subject in each app, so a session of one app would break the sign-in
  // to another app. Also, each sign-in requires a fresh proof.
  return model === 'Session' ? noSessions : artifacts.adapterFor(model)
}

function endpointSettings(issuer: string): Configuration {
  return {
    routes: {
      authorization: '/authorize',
      token: '/token',
      introspection: '/introspect',
      userinfo: '/userinfo',
      jwks: '/jwks',
    },
    // `code` comes first because this list determines the order of grant_types_supported.
    responseTypes: [...RESPONSE_TYPES],
    discovery: { registration_endpoint: `${issuer}/register` },
    renderError: (ctx, out) => {
      ctx.body = out
    },
  }
}

function claimSettings(issuer: string): Configuration {
  const claimsOfAccount = accountClaims(issuer)
  return {
    scopes: SCOPES,
    claims: {
      openid: ['sub', betaClaim(issuer)],
      email: ['email'],
      profile: ['name', 'given_name', 'family_name'],
    },
    // With `true`, oidc-provider would omit the claims of the scopes from an id_token that it issues with an access token,
    // unless the access token is for a resource.
    conformIdTokenClaims: false,
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: async () => claimsOfAccount(parseAccountId(accountId)),
    }),
  }
}

function pairwiseSettings(): Configuration {
  return {
    subjectTypes: ['pairwise'],
    pairwiseIdentifier: (_ctx, accountId, client) => {
      const { appId, nullifierHash } = parseAccountId(accountId)
      if (appId !== client.clientId)
        throw new Error(
          `the account belongs to the app ${appId}, not to the client ${client.clientId}`,
        )
      return nullifierHash
    },
    // oidc-provider would fetch the URI, but our URI is only a placeholder (clients/client-adapter.ts).
    sectorIdentifierUriValidate: () => false,
  }
}

function clientSettings(): Configuration {
  return {
    // A client may also send its secret in the body; endpoints/token.ts turns the body's credentials into Basic.
    // Public clients have no secret, so they must protect their codes with PKCE.
    clientAuthMethods: ['client_secret_basic', 'none'],
    clientBasedCORS: (_ctx, origin, client) =>
      requireValue(client.redirectUris, 'the redirect URIs of a client').some(
        (uri) => new URL(uri).origin === origin,
      ),
    pkce: { required: (_ctx, client) => client.tokenEndpointAuthMethod === 'none' },
    allowOmittingSingleRegisteredRedirectUri: false,
  }
}

function interactionSettings(): Configuration {
  return {
    interactions: {
      url: (_ctx, { uid }) => `/login/${uid}`,
      policy: freshProofPolicy(),
    },
    // Loads only the grant that this sign-in has made, never an earlier grant.
    loadExistingGrant: (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined
    },
    expiresWithSession: () => false,
  }
}

/** The cookie that ties a sign-in to the browser that began it. */
export const INTERACTION_COOKIE = '_interaction'

function cookieSettings(keys: readonly string[]): Configuration {
  return {
    cookies: {
      keys: [...keys],
      names: { interaction: INTERACTION_COOKIE, resume: '_resume', session: '_session' },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
      // finish-answers.ts removes the session cookie, so signing it would be wasted work.
      long: { signed: false },
    },
  }
}

/** The time that a person has to sign in, and the time that a client has to redeem the code. */
const INTERACTION_SECONDS = 600
const CODE_SECONDS = 600

function lifetimeSettings(): Configuration {
  return {
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      // Tokens end with their grant. So the grant must outlive a token that is issued just before its code expires.
      Grant: ACCESS_TOKEN_SECONDS + CODE_SECONDS + 60,
      IdToken: ACCESS_TOKEN_SECONDS,
      Interaction: INTERACTION_SECONDS,
      Session: INTERACTION_SECONDS,
    },
    // The seconds by which the clocks of our instances may differ.
    clockTolerance: 15,
  }
}

function featureSettings(issuer: string): Configuration {
  const userinfo = userinfoUrl(issuer)
  return {
    features: {
      // These features are on by default, and are not part of this service.
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },

      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      // With this feature, oidc-provider signs access tokens. Every token is for one resource, our /userinfo.
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
            accessTokenTTL: ACCESS_TOKEN_SECONDS,
            jwt: { sign: { alg: 'RS256' } },
          }
        },
      },
    },
    formats: { customizers: { jwt: storeHandle } },
  }
}
