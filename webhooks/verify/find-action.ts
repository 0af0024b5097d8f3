import { formatField, parseField } from '../../lib/proof/encoding.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import { present } from '../../lib/runtime/present.ts'
import { oldestKept, type Repeatable } from '../../lib/runtime/web/idempotency-key.ts'
import type { Gather } from '../../lib/verification/record/gather-calls.ts'
import type { CountedRequestFragment, Sdk, VerifyQuery } from '../generated/sdk.ts'
import { isUsedUp, usesOf } from './used-up-nullifier.ts'

/** A person and the action that they claim to have done, as the request spells them. */
type Asked = { app_id: string; action: string; nullifier_hash: string; requestId: string }

type App = VerifyQuery['app'][number]

/** An app and an action as far as they were found, and how often the person did it. */
export type FoundAction = {
  app?: App | undefined
  action?: App['actions'][number] | undefined
  uses: number
}

type Found = FoundAction & {
  /** The request that was counted with the same key. */
  counted?: CountedRequestFragment | undefined
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

/** What a request asks for, among the apps that were read for several. */
export function pickAction(
  apps: readonly App[],
  asked: Pick<Asked, 'app_id' | 'action' | 'nullifier_hash'>,
): FoundAction {
  const hash = canonicalNullifier(asked.nullifier_hash)
  const app = apps.find(({ id }) => id === asked.app_id)
  const action = app?.actions.find((each) => each.action === asked.action)
  return { app, action, uses: action ? usesOf(action, hash) : 0 }
}

/** Nullifiers are stored in their canonical spelling; one that has none was never recorded. */
export function canonicalNullifier(nullifierHash: string): string {
  const nullifier = parseField(nullifierHash)
  return nullifier === null ? '' : formatField(nullifier)
}

/** Whether something holds, undefined where that cannot be told, and how it is refused otherwise. */
type Requirement = { isMet(found: FoundAction): boolean | undefined; refuse(): ApiError }

/** What has to hold before a proof is checked, in an order that is part of the API. */
export const REQUIREMENTS = {
  app: {
    isMet: ({ app }) => app !== undefined,
    refuse: () => new ApiError('not_found', { attribute: 'app_id', detail: 'No such app.' }),
  },
  action: {
    isMet: ({ action }) => action !== undefined,
    refuse: () => new ApiError('invalid_action', { attribute: 'action' }),
  },
  engine: {
    isMet: ({ app }) => app && app.engine === 'cloud',
    refuse: () => new ApiError('invalid_engine', { attribute: 'engine' }),
  },
  status: {
    isMet: ({ action }) => action && action.status === 'active',
    refuse: () => new ApiError('action_inactive', { attribute: 'status' }),
  },
  limit: {
    isMet: ({ action, uses }) => action && !isUsedUp(action.max_verifications, uses),
    refuse: () => new ApiError('max_verifications_reached'),
  },
} as const satisfies Record<string, Requirement>

/** @throws not_found, invalid_action, invalid_engine, action_inactive, max_verifications_reached */
export function requireAction(found: FoundAction) {
  for (const { isMet, refuse } of Object.values(REQUIREMENTS)) if (!isMet(found)) throw refuse()
  const { app, action } = found
  const { is_staging: isStaging } = present(app, 'the app that was required')
  return { ...present(action, 'the action that was required'), isStaging }
}
