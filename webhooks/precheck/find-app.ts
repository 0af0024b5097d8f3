import { formatField } from '../../lib/proof/encoding.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import type { PrecheckQuery, Sdk } from '../generated/sdk.ts'

/** A parsed request: an app, an action (by name or external nullifier), and optionally a person. */
type AppLookup = {
  app_id: string
  action: string
  nullifier_hash?: bigint | undefined
  external_nullifier?: bigint | undefined
  requestId: string
}

/** An app with every action that the request may mean. It may contain other actions, too. */
export type App = PrecheckQuery['app'][number]

/** Creates the function that finds the apps of several requests with one query. */
export function createAppFinder(graphql: Pick<Sdk, 'Precheck'>) {
  return async (lookups: readonly AppLookup[]): Promise<(App | undefined)[]> => {
    const hashes = lookups.flatMap(({ nullifier_hash: hash }) => hash ?? [])
    const { app: apps } = await graphql.Precheck(
      {
        app_ids: lookups.map(({ app_id }) => app_id).filter(isStorableText),
        candidates: candidateFilter(lookups),
        nullifier_hashes: hashes.map(formatField),
      },
      { 'x-request-id': lookups.map(({ requestId }) => requestId).join() },
    )
    return lookups.map(({ app_id }) => apps.find(({ id }) => id === app_id))
  }
}

function candidateFilter(lookups: readonly AppLookup[]) {
  const byName = { action: { _in: lookups.map(({ action }) => action).filter(isStorableText) } }
  const externals = lookups.flatMap(({ external_nullifier: external }) => external ?? [])
  if (externals.length === 0) return byName
  // Includes actions whose external nullifier is null: the column is filled a moment after an action is created.
  const byNumber = { external_nullifier: { _in: externals.map(formatField) } }
  return { _or: [byName, byNumber, { external_nullifier: { _is_null: true } }] }
}
