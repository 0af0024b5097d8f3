import { ApiError } from '../../lib/errors.ts'
import { isStorableText } from '../../lib/hasura/storable-text.ts'
import { formatField, parseField } from '../../proof/encoding.ts'
import type { Sdk, VerifyQuery } from '../generated/sdk.ts'
import { isUsedUp } from './used-up-nullifier.ts'

/** A person and the action that they claim to have done, as the request spells them. */
type Asked = { app_id: string; action: string; nullifier_hash: string; requestId: string }

type App = VerifyQuery['app'][number]
type Found = { app?: App | undefined; action?: App['actions'][number] | undefined; uses: number }

/** Looks up the apps and actions of several requests at once, and how often each person did theirs. */
export function findActions(graphql: Pick<Sdk, 'Verify'>) {
  return async (asked: readonly Asked[]): Promise<Found[]> => {
    const people = asked.map((person) => ({
      ...person,
      hash: canonicalNullifier(person.nullifier_hash),
    }))
    const { app: apps } = await graphql.Verify(
      {
        app_ids: people.map(({ app_id }) => app_id).filter(isStorableText),
        actions: people.map(({ action }) => action).filter(isStorableText),
        nullifier_hashes: people.map(({ hash }) => hash),
      },
      { 'x-request-id': people.map(({ requestId }) => requestId).join() },
    )
    return people.map((person) => {
      const app = apps.find(({ id }) => id === person.app_id)
      const action = app?.actions.find((each) => each.action === person.action)
      const counted = action?.nullifiers.find((each) => each.nullifier_hash === person.hash)
      return { app, action, uses: counted?.uses ?? 0 }
    })
  }
}

/** Nullifiers are stored in their canonical spelling; one that has none was never recorded. */
function canonicalNullifier(nullifierHash: string): string {
  const nullifier = parseField(nullifierHash)
  return nullifier === null ? '' : formatField(nullifier)
}

/** @throws not_found, invalid_action, invalid_engine, action_inactive, max_verifications_reached */
export function requireAction({ app, action, uses }: Found) {
  if (!app) throw new ApiError('not_found', { attribute: 'app_id', detail: 'No such app.' })
  if (!action) throw new ApiError('invalid_action', { attribute: 'action' })
  if (app.engine !== 'cloud') throw new ApiError('invalid_engine', { attribute: 'engine' })
  if (action.status !== 'active') throw new ApiError('action_inactive', { attribute: 'status' })
  if (isUsedUp(action.max_verifications, uses)) throw new ApiError('max_verifications_reached')
  return { ...action, isStaging: app.is_staging }
}
