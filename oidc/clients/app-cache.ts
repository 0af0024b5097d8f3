import { LRUCache } from 'lru-cache'
import { type Scope, scopeOfAction } from '../../lib/proof/scope.ts'
import { batchCalls } from '../../lib/runtime/calls/batch-calls.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import { createSteadyClock } from '../../lib/runtime/steady-clock.ts'
import type { AppsQuery, Sdk } from '../generated/sdk.ts'

/** What a sign-in needs to know of an app that is active and not archived. */
export type App = Omit<Stored, 'actions'> & {
  /** The sign-in action (`''`), with the scope that proofs must be bound to. */
  action: (Stored['actions'][number] & { scope: Scope }) | undefined
}

type Stored = AppsQuery['app'][number]

export type Apps = {
  /** The app as it was at most `FRESH_MS` ago; undefined if there is none, or it is inactive or archived. */
  recall(id: string): Promise<App | undefined>
}

type Options = {
  graphql: Pick<Sdk, 'Apps'>
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long an app is remembered, in milliseconds: an edit applies after that. */
const FRESH_MS = 3_000

const MAX_REMEMBERED = 10_000

/**
 * Reads apps. Requests that arrive at the same moment share a call, and an app is remembered for `FRESH_MS`.
 */
export function createKnownApps({ graphql, now }: Options): Apps {
  const remembered = new LRUCache<string, App>({
    max: MAX_REMEMBERED,
    ttl: FRESH_MS,
    ttlResolution: 0,
    perf: { now: createSteadyClock(now) },
  })

  const ask = batchCalls<string, App | undefined>(
    async (ids) => {
      const found = await graphql.Apps({ ids: [...new Set(ids)] })
      const byId = new Map(found.app.map((stored) => [stored.id, toApp(stored)]))
      return ids.map((id) => byId.get(id))
    },
    { maxBatch: 100, maxUnderWay: 2 },
  )

  return {
    recall: async (id) => remembered.get(id) ?? readApp(id),
  }

  async function readApp(id: string) {
    if (!isStorableText(id)) return undefined
    const app = await ask(id)
    if (app) remembered.set(id, app)
    else remembered.delete(id)
    return app
  }
}

/** Computes the scope once for all sign-ins to the app: its two hashes would be 2 % of the cost of each. */
function toApp({ actions: [action], ...app }: Stored): App {
  if (!action) return { ...app, action: undefined }
  const scope = scopeOfAction({ id: action.id, app_id: app.id, action: '' })
  return { ...app, action: { ...action, scope } }
}
