import { LRUCache } from 'lru-cache'
import type { Sdk } from '../generated/sdk.ts'
import { unknownAppError } from './app-id.ts'

const MAX_KNOWN_RPS = 10_000

/**
 * Creates the function that returns the id of an app by its rp id, in the stored spelling. An rp id follows from the app id,
 * so a known rp id never belongs to another app.
 *
 * The created function throws not_found.
 */
export function createAppOfRp(graphql: Pick<Sdk, 'AppOfRp'>) {
  const appIds = new LRUCache<string, string>({ max: MAX_KNOWN_RPS })
  return async (rp_id: string, requestId: string): Promise<string> => {
    const knownApp = appIds.get(rp_id)
    if (knownApp) return knownApp
    const [app] = (await graphql.AppOfRp({ rp_id }, { 'x-request-id': requestId })).app
    if (!app) throw unknownAppError('app_id')
    appIds.set(rp_id, app.id)
    return app.id
  }
}
