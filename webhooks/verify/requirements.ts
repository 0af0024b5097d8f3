import { z } from 'zod'
import { formatField, parseField } from '../../lib/proof/encoding.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { type IdempotentRequest, oldestKeyTime } from '../../lib/runtime/web/idempotency-key.ts'
import type { Gather } from '../../lib/verification/record/gather-calls.ts'
import type { CountedRequestFragment, Sdk, VerifyQuery } from '../generated/sdk.ts'

type App = VerifyQuery['app'][number]

/** The app and the action, if they exist, and how often the person did the action. */
export type ActionCandidate = {
  app?: App | undefined
  action?: App['actions'][number] | undefined
  uses: number
  /** The request that was counted with the same idempotency key. */
  countedRequest?: CountedRequestFragment | undefined
}

/** A condition, and the error if a request does not meet it. `isMet` returns undefined if there is no app or action. */
type Requirement = { isMet(candidate: ActionCandidate): boolean | undefined; refuse(): ApiError }

/**
 * The requirements of a verification before its proof is checked, in an order that is part of the API.
 *
 * The limit is checked here only to save the work of checking the proof. The statement that records a verification
 * enforces the limit.
 */
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
  /** Proofs of protocol 4.0 have requirements of their own (protocol-4/). */
  protocol: {
    isMet: ({ action }) => action && action.protocol !== '4.0',
    refuse: () => createProtocolError({ accepted: '4.0', attribute: 'protocol_version' }),
  },
  limit: {
    isMet: ({ action, uses }) => action && !isUsedUp(action.max_verifications, uses),
    refuse: () => new ApiError('max_verifications_reached'),
  },
} as const satisfies Record<string, Requirement>

/** The error for a proof of a protocol that the action does not accept, or for a request for such a proof. */
export function createProtocolError({
  accepted,
  attribute,
}: {
  accepted: '3.0' | '4.0'
  attribute: string
}): ApiError {
  const detail = `This action accepts only proofs of protocol ${accepted}.`
  return new ApiError('invalid_protocol', { attribute, detail })
}

/** @throws not_found, invalid_action, invalid_engine, action_inactive, invalid_protocol, max_verifications_reached */
export function requireAction(candidate: ActionCandidate) {
  for (const { isMet, refuse } of Object.values(REQUIREMENTS)) if (!isMet(candidate)) throw refuse()
  const { app, action } = candidate
  const { is_staging: isStaging } = requireValue(app, 'the required app')
  return { ...requireValue(action, 'the required action'), isStaging }
}

/**
 * True if the person has done the action as often as is allowed, so that the nullifier is used up.
 *
 * @param maxVerifications 0 means any number of times
 * @param uses how often the person has verified for the action so far
 */
export function isUsedUp(maxVerifications: number, uses: number): boolean {
  return maxVerifications > 0 && uses >= maxVerifications
}

/** A person and an action to find, as the request spells them. */
type ActionLookup = { app_id: string; action: string; nullifier_hash: string; requestId: string }

type Options = {
  graphql: Pick<Sdk, 'Verify' | 'VerifyAgain'>
  gather: Gather
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Creates the function that finds an app and an action, and how often the person did the action. For a request with an
 * idempotency key, the same query finds the request that was counted with this key. Concurrent requests share a query.
 */
export function createActionFinder({ graphql, gather, now }: Options) {
  const find = gather(async (lookups: readonly ActionLookup[]) => {
    const { app: apps } = await graphql.Verify(searchFor(lookups), headersOf(lookups))
    return lookups.map((lookup) => pickAction(apps, lookup))
  })
  const findAgain = gather(async (lookups: readonly (ActionLookup & IdempotentRequest)[]) => {
    const keys = { key_hashes: lookups.map(({ keyHash }) => keyHash), since: oldestKeyTime(now()) }
    const search = { ...searchFor(lookups), ...keys }
    const { app: apps } = await graphql.VerifyAgain(search, headersOf(lookups))
    return lookups.map((lookup) => {
      const requests = apps.find(({ id }) => id === lookup.app_id)?.counted_requests
      const countedRequest = requests?.find(({ key_hash }) => key_hash === lookup.keyHash)
      return { ...pickAction(apps, lookup), countedRequest }
    })
  })
  return (lookup: ActionLookup, repeatable: IdempotentRequest | null): Promise<ActionCandidate> =>
    repeatable ? findAgain({ ...lookup, ...repeatable }) : find(lookup)
}

function searchFor(lookups: readonly ActionLookup[]) {
  return {
    app_ids: lookups.map(({ app_id }) => app_id).filter(isStorableText),
    actions: lookups.map(({ action }) => action).filter(isStorableText),
    nullifier_hashes: lookups.map(({ nullifier_hash }) => canonicalNullifier(nullifier_hash)),
  }
}

function headersOf(lookups: readonly ActionLookup[]) {
  return { 'x-request-id': lookups.map(({ requestId }) => requestId).join() }
}

/** Picks the app and the action of one lookup from the apps that were read for several lookups. */
export function pickAction(
  apps: readonly App[],
  lookup: Omit<ActionLookup, 'requestId'>,
): ActionCandidate {
  const app = apps.find(({ id }) => id === lookup.app_id)
  const action = app?.actions.find((each) => each.action === lookup.action)
  return {
    app,
    action,
    uses: action ? usesOf(action, canonicalNullifier(lookup.nullifier_hash)) : 0,
  }
}

/** Returns the stored spelling of a nullifier, or an empty text for a malformed nullifier, which was never recorded. */
export function canonicalNullifier(nullifierHash: string): string {
  const nullifier = parseField(nullifierHash)
  return nullifier === null ? '' : formatField(nullifier)
}

/** Does not parse the counts: a shared query returns the counts of many people, and `usesOf` parses only one of them. */
const Uses = z.custom<Readonly<Record<string, unknown>>>((value) => Object(value) === value)
const Count = z.int().default(0)

/**
 * Returns how often a person has done an action.
 *
 * @param action with its computed field `uses`, which leaves out people who never did the action
 * @param nullifierHash canonical
 */
export function usesOf({ uses }: { uses?: unknown }, nullifierHash: string): number {
  return Count.parse(Uses.parse(uses)[nullifierHash])
}
