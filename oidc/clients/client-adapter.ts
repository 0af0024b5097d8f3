import type { Adapter, AdapterPayload } from 'oidc-provider'
import { z } from 'zod'
import type { App, Apps } from './known-apps.ts'
import { RESPONSE_TYPES, ResponseType } from './response-types.ts'

type Options = {
  apps: Pick<Apps, 'recall'>
  /** Redirect URIs that staging apps have besides their own; empty in production. */
  developmentRedirects: readonly string[]
}

/**
 * The library's storage for clients, which are our apps; it reads only. Archived and inactive apps, and those
 * without a redirect URI, are not clients.
 *
 * Client secrets are stored hashed, so `client_secret` contains the hash: the edge hashes the secret
 * that a client sends before the library compares the two (endpoints/credentials.ts).
 */
export function clientAdapter({ apps, developmentRedirects }: Options): Adapter {
  const payloads = new WeakMap<App, AdapterPayload | undefined>()
  return {
    async find(id) {
      const app = await apps.recall(id)
      if (!app) return undefined
      if (!payloads.has(app)) payloads.set(app, clientOfApp(app, developmentRedirects))
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

/** The library never writes clients: /register is ours. */
async function refuseToWrite() {
  throw new Error('Clients are apps: the library must not write them.')
}

const ResponseTypes = z.array(ResponseType)

/** No secret has this hash: an app that has no secret yet can begin a sign-in but not redeem a code. */
const NO_SECRET = 'none'

function clientOfApp(
  app: App,
  developmentRedirects: readonly string[],
): AdapterPayload | undefined {
  const extra = app.is_staging ? developmentRedirects : []
  // The database's check is looser than a URL parser, and the library refuses a client with a single
  // redirect URI that does not parse.
  const own = app.redirects.map((each) => each.redirect_uri).filter((uri) => URL.canParse(uri))
  const redirectUris = [...own, ...extra]
  if (redirectUris.length === 0) return undefined
  const { secret_hash = NO_SECRET, response_types = RESPONSE_TYPES } = app.sign_in_client ?? {}
  return {
    client_id: app.id,
    client_secret: secret_hash,
    client_name: app.name,
    redirect_uris: redirectUris,
    response_types: ResponseTypes.parse(response_types),
    grant_types: ['authorization_code', 'implicit'],
    // Of the library's two types only `native` may have http://localhost, which development needs.
    application_type: extra.length > 0 ? 'native' : 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    // Without it the library requires all redirect URIs to have one host, to which it would bind the
    // subject; ours depends on the app alone. The address does not exist and is never requested.
    sector_identifier_uri: 'https://sector.invalid/',
  }
}
