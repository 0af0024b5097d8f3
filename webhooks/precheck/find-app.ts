import { formatField } from '../../lib/proof/encoding.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import type { PrecheckQuery, Sdk } from '../generated/sdk.ts'

/** A parsed request: an app, an action of it (by name or external nullifier), and maybe a person. */
type Asked = {
  app_id: string
  action: string
  nullifier_hash?: bigint | undefined
  external_nullifier?: bigint | undefined
  requestId: string
}

/** Its `actions` include every one that the request could mean, and maybe others. */
export type App = PrecheckQuery['app'][number]

/** Looks up the apps of several requests at once. */
export function findApps(graphql: Pick<Sdk, 'Precheck'>) {
  return async (asked: readonly Asked[]): Promise<(App | undefined)[]> => {
    const hashes = asked.flatMap(({ nullifier_hash: hash }) => hash ?? [])
    const { app: apps } = await graphql.Precheck(
      {
        app_ids: asked.map(({ app_id }) => app_id).filter(isStorableText),
        candidates: candidateFilter(asked),
        nullifier_hashes: hashes.map(formatField),
      },
      { 'x-request-id': asked.map(({ requestId }) => requestId).join() },
    )
    return asked.map(({ app_id }) => apps.find(({ id }) => id === app_id))
  }
}

function candidateFilter(asked: readonly Asked[]) {
  const named = { action: { _in: asked.map(({ action }) => action).filter(isStorableText) } }
  const externals = asked.flatMap(({ external_nullifier: external }) => external ?? [])
  if (externals.length === 0) return named
  // The column is filled a moment after an action is made: an action without it may be the one that is meant.
  const numbered = { external_nullifier: { _in: externals.map(formatField) } }
  return { _or: [named, numbered, { external_nullifier: { _is_null: true } }] }
}
