import type { Adapter, AdapterPayload } from 'oidc-provider'
import { z } from 'zod'
import type { App, Apps } from './apps.ts'

/** All values of `response_type` that /authorize accepts. */
export const RESPONSE_TYPES = [
  'code',
  'id_token',
  'id_token token',
  'code id_token',
  'code token',
  'code id_token token',
] as const

export const ResponseType = z.enum(RESPONSE_TYPES)

type Options = {
  apps: Pick<Apps, 'recall'>
  /** Redirect URIs that staging apps have besides their own; empty in production. */
  developmentRedirects: readonly string[]
}

/**
 * Clients are apps, and this adapter shows them to the library. Archived and inactive apps, and those
 * without a redirect URI, are not clients.
 *
 * Client secrets are stored hashed, so `client_secret` contains the hash: the edge hashes the secret
 * that a client sends before the library compares the two (see credentials.ts).
 */
export function clients({ apps, developmentRedirects }: Options): Adapter {
  const made = new WeakMap<App, AdapterPayload | undefined>()
  return {
    async find(id) {
      const app = await apps.recall(id)
      if (!app) return undefined
      if (!made.has(app)) made.set(app, toClient(app, developmentRedirects))
      return made.get(app)
    },
    upsert: never,
    consume: never,
    destroy: never,
    revokeByGrantId: never,
    findByUid: never,
    findByUserCode: never,
  }
}

/** The library never writes clients: /register is ours. */
async function never() {
  throw new Error('clients are apps')
}

const ResponseTypes = z.array(ResponseType)

/** The hash of no secret: an app that never got a secret can begin a sign-in but not redeem a code. */
const NO_SECRET = 'none'

function toClient(app: App, developmentRedirects: readonly string[]): AdapterPayload | undefined {
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
