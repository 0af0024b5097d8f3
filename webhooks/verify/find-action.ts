import { ApiError } from '../../lib/errors.ts'
import { isStorableText } from '../../lib/hasura/storable-text.ts'
import { formatField, parseField } from '../../proof/encoding.ts'
import type { Gather } from '../../verification/gather-calls.ts'
import type { CountedRequest } from '../../verification/record-requests.ts'
import type { Sdk, VerifyQuery } from '../generated/sdk.ts'
import { oldestKept, type Repeatable } from '../route/idempotency-key.ts'
import { isUsedUp } from './used-up-nullifier.ts'

/** A person and the action that they claim to have done, as the request spells them. */
type Asked = { app_id: string; action: string; nullifier_hash: string; requestId: string }

type App = VerifyQuery['app'][number]
type Found = {
  app?: App | undefined
  action?: App['actions'][number] | undefined
  uses: number
  /** The request that was counted with the same key. */
  counted?: CountedRequest | undefined
}

type Options = {
  graphql: Pick<Sdk, 'Verify' | 'VerifyAgain'>
  gather: Gather
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Looks up an app and an action, and how often the person did it; for a request with an idempotency key, in the same
 * query, also the one that was counted with this key. Requests of the same moment share a query.
 */
export function actionFinder({ graphql, gather, now }: Options) {
  const find = gather(async (people: readonly Asked[]) => {
    const { app: apps } = await graphql.Verify(searchFor(people), headersOf(people))
    return people.map((person) => pickAction(apps, person))
  })
  const findAgain = gather(async (people: readonly (Asked & Repeatable)[]) => {
    const keys = { key_hashes: people.map(({ keyHash }) => keyHash), since: oldestKept(now()) }
    const search = { ...searchFor(people), ...keys }
    const { app: apps } = await graphql.VerifyAgain(search, headersOf(people))
    return people.map((person) => {
      const counted = apps.find(({ id }) => id === person.app_id)?.counted_requests
      return {
        ...pickAction(apps, person),
        counted: counted?.find(({ key_hash }) => key_hash === person.keyHash),
      }
    })
  })
  return (asked: Asked, repeatable: Repeatable | null): Promise<Found> =>
    repeatable ? findAgain({ ...asked, ...repeatable }) : find(asked)
}

function searchFor(people: readonly Asked[]) {
  return {
    app_ids: people.map(({ app_id }) => app_id).filter(isStorableText),
    actions: people.map(({ action }) => action).filter(isStorableText),
    nullifier_hashes: people.map(({ nullifier_hash }) => canonicalNullifier(nullifier_hash)),
  }
}

function headersOf(people: readonly Asked[]) {
  return { 'x-request-id': people.map(({ requestId }) => requestId).join() }
}

function pickAction(apps: readonly App[], asked: Asked): Found {
  const hash = canonicalNullifier(asked.nullifier_hash)
  const app = apps.find(({ id }) => id === asked.app_id)
  const action = app?.actions.find((each) => each.action === asked.action)
  const counted = action?.nullifiers.find((each) => each.nullifier_hash === hash)
  return { app, action, uses: counted?.uses ?? 0 }
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
