import type { Adapter, AdapterPayload } from 'oidc-provider'
import { z } from 'zod'
import type { ClientQuery, Sdk } from './generated/sdk.ts'

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
  graphql: Pick<Sdk, 'Client'>
  /** Where staging apps may send people besides their own redirects; empty in production. */
  developmentRedirects: readonly string[]
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long a client is used before it is asked for again: an edit applies after that. */
const FRESH_MS = 3_000

const MAX_REMEMBERED = 10_000

type App = ClientQuery['app'][number]

/**
 * Clients are apps: this is what the library sees of one. Archived and inactive apps are no clients,
 * nor are those without a redirect.
 *
 * Their secrets are stored hashed, and it is the hash that stands in `client_secret`: the edge hashes
 * what a client sends before the library compares the two (see credentials.ts).
 */
export function clients(options: Options): Adapter {
  const remembered = new Map<string, { client: AdapterPayload; until: number }>()

  return {
    async find(id) {
      const known = remembered.get(id)
      if (known && known.until > options.now()) return known.client
      const client = await ask(id)
      remembered.delete(id)
      if (client) remember(id, client)
      return client
    },
    upsert: never,
    consume: never,
    destroy: never,
    revokeByGrantId: never,
    findByUid: never,
    findByUserCode: never,
  }

  async function ask(id: string) {
    const { app } = await options.graphql.Client({ id })
    return app[0] && toClient(id, app[0], options)
  }

  function remember(id: string, client: AdapterPayload) {
    const [oldest] = remembered.keys()
    if (oldest !== undefined && remembered.size >= MAX_REMEMBERED) remembered.delete(oldest)
    remembered.set(id, { client, until: options.now() + FRESH_MS })
  }
}

/** The library writes no clients: /register is ours. */
async function never() {
  throw new Error('clients are apps')
}

const ResponseTypes = z.array(ResponseType)

/** No secret has this hash: an app that never got one can begin a sign-in but not redeem a code. */
const NO_SECRET = 'none'

function toClient(id: string, app: App, options: Options): AdapterPayload | undefined {
  const extra = app.is_staging ? options.developmentRedirects : []
  const redirectUris = [...app.redirects.map(({ redirect_uri }) => redirect_uri), ...extra]
  if (redirectUris.length === 0) return undefined
  const { secret_hash = NO_SECRET, response_types = RESPONSE_TYPES } = app.sign_in_client ?? {}
  return {
    client_id: id,
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
