import { LRUCache } from 'lru-cache'
import { type Scope, scopeOfAction } from '../../lib/proof/scope.ts'
import { batchCalls } from '../../lib/runtime/calls/batch-calls.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import { createSteadyClock } from '../../lib/runtime/steady-clock.ts'
import type { AppsQuery, Sdk } from '../generated/sdk.ts'

/** The facts that a sign-in needs about an app that is active and not archived. */
export type App = Omit<AppRow, 'actions'> & {
  /** The sign-in action (`''`), with the scope that its proofs must have. */
  action: (AppRow['actions'][number] & { scope: Scope }) | undefined
}

type AppRow = AppsQuery['app'][number]

export type Apps = {
  /** Returns the app as it was at most `FRESH_MS` ago; undefined if the app is missing, inactive or archived. */
  find(id: string): Promise<App | undefined>
}

type Options = {
  graphql: Pick<Sdk, 'Apps'>
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long an app is cached, in milliseconds. A change to an app takes effect at the latest after this time. */
const FRESH_MS = 3_000

const MAX_APPS = 10_000

/**
 * Creates a cache of apps. Requests that arrive at the same moment share a call to Hasura. An app is cached for
 * `FRESH_MS`.
 */
export function createAppCache({ graphql, now }: Options): Apps {
  const cache = new LRUCache<string, App>({
    max: MAX_APPS,
    ttl: FRESH_MS,
    ttlResolution: 0,
    perf: { now: createSteadyClock(now) },
  })

  const queryApp = batchCalls<string, App | undefined>(
    async (ids) => {
      const reply = await graphql.Apps({ ids: [...new Set(ids)] })
      const appsById = new Map(reply.app.map((row) => [row.id, toApp(row)]))
      return ids.map((id) => appsById.get(id))
    },
    { maxBatch: 100, maxUnderWay: 2 },
  )

  return {
    find: async (id) => cache.get(id) ?? readApp(id),
  }

  async function readApp(id: string) {
    if (!isStorableText(id)) return undefined
    const app = await queryApp(id)
    if (app) cache.set(id, app)
    else cache.delete(id)
    return app
  }
}

/**
 * Adds the scope, so that it is computed once for each cached app. Its two hashes would be 2 % of the cost of a
 * sign-in.
 */
function toApp({ actions: [action], ...app }: AppRow): App {
  if (!action) return { ...app, action: undefined }
  const scope = scopeOfAction({ id: action.id, app_id: app.id, action: '' })
  return { ...app, action: { ...action, scope } }
}
