import type { Adapter, AdapterPayload } from 'oidc-provider'
import { z } from 'zod'
import type { App, Apps } from './apps.ts'

/** Everything that /authorize can be asked for. */
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
  /** Where staging apps may send people besides their own redirects; empty in production. */
  developmentRedirects: readonly string[]
}

/**
 * Clients are apps: this is what the library sees of one. Archived and inactive apps are no clients,
 * nor are those without a redirect.
 *
 * Their secrets are stored hashed, and it is the hash that stands in `client_secret`: the edge hashes
 * what a client sends before the library compares the two (see credentials.ts).
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

/** The library writes no clients: /register is ours. */
async function never() {
  throw new Error('clients are apps')
}

const ResponseTypes = z.array(ResponseType)

/** No secret has this hash: an app that never got one can begin a sign-in but not redeem a code. */
const NO_SECRET = 'none'

function toClient(app: App, developmentRedirects: readonly string[]): AdapterPayload | undefined {
  const extra = app.is_staging ? developmentRedirects : []
  // The database lets some through that are no URL; the library would refuse the whole client for one.
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
    // Of the library's two types only `native` takes http://localhost, for development.
    application_type: extra.length > 0 ? 'native' : 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    // A subject depends on the app alone; without this the library wants one host for all redirects.
    // Nothing is there, and nobody asks.
    sector_identifier_uri: 'https://sector.invalid/',
  }
}
