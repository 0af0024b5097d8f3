import { shareCalls } from '../lib/share-calls.ts'
import { canBeStored } from '../lib/stored-text.ts'
import { type Scope, scopeOf } from '../proof/scope.ts'
import type { AppsQuery, Sdk } from './generated/sdk.ts'

/** What a sign-in needs to know of an app; archived and inactive ones are not there. */
export type App = Omit<Stored, 'actions'> & {
  /** What people do who sign in, and what their proofs must be bound to. */
  action: (Stored['actions'][number] & { scope: Scope }) | undefined
}

type Stored = AppsQuery['app'][number]

export type Apps = {
  /** As it was when somebody last looked, some seconds ago at most. */
  recall(id: string): Promise<App | undefined>
}

type Options = {
  graphql: Pick<Sdk, 'Apps'>
  /** Milliseconds since the epoch. */
  now: () => number
}

/** How long an app is remembered: an edit applies after that. */
const FRESH_MS = 3_000

const MAX_REMEMBERED = 10_000

/** Reads apps; those that are asked for at one moment in one call, those of a busy app once. */
export function apps({ graphql, now }: Options): Apps {
  const remembered = new Map<string, { app: App; until: number }>()

  const ask = shareCalls<string, App | undefined>(
    async (ids) => {
      const found = await graphql.Apps({ ids: [...new Set(ids)] })
      const byId = new Map(found.app.map((stored) => [stored.id, toApp(stored)]))
      return ids.map((id) => byId.get(id))
    },
    { maxBatch: 100, maxUnderWay: 2 },
  )

  return {
    async recall(id) {
      const known = remembered.get(id)
      return known && known.until > now() ? known.app : look(id)
    },
  }

  async function look(id: string) {
    if (!canBeStored(id)) return undefined
    const app = await ask(id)
    remembered.delete(id)
    if (app) remember(app)
    return app
  }

  function remember(app: App) {
    const [oldest] = remembered.keys()
    if (oldest !== undefined && remembered.size >= MAX_REMEMBERED) remembered.delete(oldest)
    remembered.set(app.id, { app, until: now() + FRESH_MS })
  }
}

/** The scope is made here, once for all that sign in: its two hashes would be 2 % of what each of them costs. */
function toApp({ actions: [action], ...app }: Stored): App {
  if (!action) return { ...app, action: undefined }
  const scope = scopeOf({ id: action.id, app_id: app.id, action: '' })
  return { ...app, action: { ...action, scope } }
}
