import type { Adapter, AdapterPayload } from 'oidc-provider'
import { z } from 'zod'
import type { App, Apps } from './app-cache.ts'
import { RESPONSE_TYPES, ResponseType } from './response-types.ts'

type Options = {
  apps: Pick<Apps, 'find'>
  /** Additional redirect URIs of every staging app; empty in production. */
  developmentRedirects: readonly string[]
  /** True if a staging app may have redirect URIs at http://localhost; always false in production. */
  allowsLocalhost: boolean
}

type Rules = Omit<Options, 'apps'>

/**
 * Creates oidc-provider's read-only storage for clients. Our apps are the clients, except archived apps, inactive
 * apps and apps without a permitted redirect URI.
 *
 * Only hashes of client secrets are stored, so `client_secret` contains the hash. endpoints/credentials.ts hashes the
 * secret in a request before oidc-provider compares the hashes.
 */
export function createClientAdapter({ apps, ...rules }: Options): Adapter {
  const payloads = new WeakMap<App, AdapterPayload | undefined>()
  return {
    async find(id) {
      const app = await apps.find(id)
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

/** oidc-provider never writes clients, because /register is our own endpoint. */
async function refuseToWrite() {
  throw new Error(
    'oidc-provider must not write clients: clients are apps, which other code creates.',
  )
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
    // Development needs http://localhost, which oidc-provider allows only to the type `native`.
    application_type: redirectUris.every(isHttps) ? 'web' : 'native',
    // Without this URI, oidc-provider would reject a client with redirect URIs on several hosts. Our subject depends
    // on the app and not on a host. The address does not exist and is never requested.
    sector_identifier_uri: 'https://sector.invalid/',
  }
}

/** No secret has this hash. An app without a secret can begin a sign-in, but cannot redeem a code. */
const NO_SECRET = 'none'

function authenticationOf({ sign_in_client: client }: App) {
  if (client?.is_public) return { token_endpoint_auth_method: 'none' } as const
  const client_secret = client?.secret_hash ?? NO_SECRET
  return { client_secret, token_endpoint_auth_method: 'client_secret_basic' } as const
}

function redirectUrisOf(app: App, { developmentRedirects, allowsLocalhost }: Rules): string[] {
  const registeredUris = app.redirects.map((each) => each.redirect_uri)
  // The database accepts some URIs that a URL parser rejects. oidc-provider rejects a client as a whole if one of its
  // redirect URIs does not parse.
  const allowedUris = registeredUris.filter(
    (uri) => URL.canParse(uri) && (isHttps(uri) || allowsLocalhost),
  )
  return app.is_staging ? [...allowedUris, ...developmentRedirects] : allowedUris.filter(isHttps)
}

function isHttps(uri: string): boolean {
  return /^https:/i.test(uri)
}
