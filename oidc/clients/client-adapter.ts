import type { Adapter, AdapterPayload } from 'oidc-provider'
import { z } from 'zod'
import type { App, Apps } from './known-apps.ts'
import { RESPONSE_TYPES, ResponseType } from './response-types.ts'

type Options = {
  apps: Pick<Apps, 'recall'>
  /** Redirect URIs that staging apps have besides their own; empty in production. */
  developmentRedirects: readonly string[]
  /** Whether a staging app may have redirect URIs at http://localhost; never in production. */
  allowsLocalhost: boolean
}

type Rules = Omit<Options, 'apps'>

/**
 * oidc-provider's storage for clients, which are our apps; it reads only. Archived and inactive apps, and those
 * without a redirect URI, are not clients.
 *
 * Client secrets are stored hashed, so `client_secret` contains the hash: the edge hashes the secret
 * that a client sends before oidc-provider compares the two (endpoints/credentials.ts).
 */
export function createClientAdapter({ apps, ...rules }: Options): Adapter {
  const payloads = new WeakMap<App, AdapterPayload | undefined>()
  return {
    async find(id) {
      const app = await apps.recall(id)
      if (!app) return undefined
      if (!payloads.has(app)) payloads.set(app, clientOfApp(app, rules))
      return payloads.get(app)
    },
    upsert: refuseToWrite,
    consume: refuseToWrite,
    destroy: refuseToWrite,
    revokeByGrantId: refuseToWrite,
    findByUid: refuseToWrite,
    findByUserCode: refuseToWrite,
  }
}

/** oidc-provider never writes clients: /register is ours. */
async function refuseToWrite() {
  throw new Error('Clients are apps: oidc-provider must not write them.')
}

const ResponseTypes = z.array(ResponseType)

function clientOfApp(app: App, rules: Rules): AdapterPayload | undefined {
  const redirectUris = redirectUrisOf(app, rules)
  if (redirectUris.length === 0) return undefined
  const { response_types = RESPONSE_TYPES } = app.sign_in_client ?? {}
  return {
    client_id: app.id,
    ...authenticationOf(app),
    client_name: app.name,
    redirect_uris: redirectUris,
    response_types: ResponseTypes.parse(response_types),
    grant_types: ['authorization_code', 'implicit'],
    // Of oidc-provider's two types only `native` may have http://localhost, which development needs.
    application_type: redirectUris.every(isHttps) ? 'web' : 'native',
    // Without it oidc-provider requires all redirect URIs to have one host, to which it would bind the
    // subject; ours depends on the app alone. The address does not exist and is never requested.
    sector_identifier_uri: 'https://sector.invalid/',
  }
}

/** No secret has this hash: an app that has no secret yet can begin a sign-in but not redeem a code. */
const NO_SECRET = 'none'

function authenticationOf({ sign_in_client: client }: App) {
  if (client?.is_public) return { token_endpoint_auth_method: 'none' } as const
  const client_secret = client?.secret_hash ?? NO_SECRET
  return { client_secret, token_endpoint_auth_method: 'client_secret_basic' } as const
}

function redirectUrisOf(app: App, { developmentRedirects, allowsLocalhost }: Rules): string[] {
  const own = app.redirects.map((each) => each.redirect_uri)
  // The database's check is looser than a URL parser, and oidc-provider refuses a client with a single
  // redirect URI that does not parse.
  const usable = own.filter((uri) => URL.canParse(uri) && (isHttps(uri) || allowsLocalhost))
  return app.is_staging ? [...usable, ...developmentRedirects] : usable.filter(isHttps)
}

function isHttps(uri: string): boolean {
  return /^https:/i.test(uri)
}
