import { z } from 'zod'
import { CREDENTIALS_OF_NEW_ACTION } from '../../../lib/proof/protocol-4/credentials.ts'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { isStorableText } from '../../../lib/runtime/hasura/storable-text.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import type { Context } from '../../../lib/runtime/web/operation.ts'
import type { Sdk } from '../../generated/sdk.ts'
import { canonicalNumber, timestamp } from '../../route/answer-schemas.ts'
import { type CountedPerson, countPerson, readCountedPerson } from '../counting.ts'
import {
  type ActionCandidate,
  canonicalNullifier,
  createActionFinder,
  createProtocolError,
  isUsedUp,
  REQUIREMENTS,
} from '../requirements.ts'
import type { VerifyServices } from '../verify.ts'
import { Environment, type UniquenessResult } from './form.ts'
import { environmentOf, requireApp } from './requirements.ts'
import {
  acceptCredentials,
  type CheckedProof,
  Outcomes,
  ProofResult,
  requireValidProof,
  resultOf,
} from './results.ts'
import { verifyUniqueness } from './verify-responses.ts'

/** The response to a result with uniqueness proofs (spec 2.19). */
export const UniquenessOutput = z.strictObject({
  success: z.literal(true),
  action: z.string(),
  nullifier: canonicalNumber,
  created_at: timestamp.describe(
    "When the person first verified; later verifications don't change it",
  ),
  environment: Environment,
  results: z.array(ProofResult).describe('The result of each proof'),
  message: z
    .string()
    .describe('For people; says "nullifier reuse" if the person is not counted again'),
})

const COUNTED = 'Proof verified successfully'
const REPEATED = 'Proof verified successfully (nullifier reuse)'

type Action = Pick<
  NonNullable<ActionCandidate['action']>,
  'id' | 'action' | 'status' | 'protocol' | 'max_verifications' | 'allows_repeat' | 'credentials'
>

/**
 * Creates the function that verifies a result with uniqueness proofs, and counts the person of the first valid proof. The
 * first valid proof for an unknown action creates the action, if the app creates actions.
 *
 * The created function throws the errors of `requireApp`, invalid_action, action_inactive, invalid_protocol,
 * max_verifications_reached, all_verifications_failed, idempotency_key_reused and unavailable.
 */
export function createVerifyUniqueness(services: VerifyServices) {
  const { graphql, verification } = services
  const { gather } = verification
  const findAction = createActionFinder({ graphql, gather, now: services.now })
  return async (result: UniquenessResult, context: Context) => {
    const { requestId, address, repeatable, markReplayed } = context
    const { app_id, action } = result
    const lookup = { app_id, action, nullifier_hash: nullifierOf(result), requestId }
    const candidate = await findAction(lookup, repeatable)
    if (candidate.countedRequest && repeatable) {
      const person = readCountedPerson(candidate.countedRequest, repeatable)
      markReplayed()
      return answerUniqueness(result, candidate, person)
    }
    const app = requireApp(candidate, result, verification)
    requireOpenAction(candidate, action)
    const target = { ...app, callers: [app_id, address] }
    const checkedProofs = await verifyUniqueness(verification, result, target)
    const create = () => {
      requireAcceptedProof(checkedProofs, CREDENTIALS_OF_NEW_ACTION)
      return createAction(graphql, result, requestId)
    }
    const action4 = candidate.action ?? (await create())
    const { nullifier, outcomes } = requireAcceptedProof(checkedProofs, action4.credentials)
    const person = await countPerson(
      verification,
      { actionId: action4.id, nullifierHash: nullifier, protocol: '4.0', requestId },
      { appId: app_id, maxUses: action4.max_verifications, outcomes, repeatable },
    )
    if (person?.isReplay) markReplayed()
    if (person) return answerUniqueness(result, candidate, person)
    // If the app or the action was changed in the meantime, this throws the right error.
    const current = await findAction(lookup, null)
    requireApp(current, result, verification)
    const created_at = requireActive(current.action).allows_repeat
      ? await findFirstVerification(graphql, { actionId: action4.id, nullifier, requestId })
      : null
    if (created_at === null) throw new ApiError('max_verifications_reached')
    const repeated = { nullifier_hash: nullifier, created_at, outcomes }
    return { ...answerUniqueness(result, candidate, repeated), message: REPEATED }
  }
}

/** Returns the nullifier of a result: all proofs have the same one. */
function nullifierOf({ responses: [first] }: UniquenessResult): string {
  return requireValue(first, 'the first proof').nullifier
}

/**
 * Returns the nullifier of a valid proof whose credential the action accepts, and the outcomes of all proofs.
 *
 * @throws all_verifications_failed
 */
function requireAcceptedProof(
  checkedProofs: readonly CheckedProof[],
  credentials: readonly string[],
) {
  const proofs = acceptCredentials(checkedProofs, credentials)
  const { nullifier } = requireValidProof(proofs, proofs.map(resultOf))
  return { nullifier, outcomes: proofs.map(({ outcome }) => outcome) }
}

/**
 * Checks the action before the proofs are checked. An app that creates actions may lack the action. If the action allows
 * no repetition, a used-up nullifier is refused early.
 *
 * @throws invalid_action, action_inactive, invalid_protocol, max_verifications_reached
 */
function requireOpenAction({ app, action, uses }: ActionCandidate, name: string): void {
  if (!action && app?.creates_actions && isStorableText(name)) return
  const { allows_repeat, max_verifications } = requireActive(action)
  if (!allows_repeat && isUsedUp(max_verifications, uses)) throw REQUIREMENTS.limit.refuse()
}

function requireActive<A extends Action>(action: A | undefined): A {
  if (!action) throw REQUIREMENTS.action.refuse()
  if (action.status !== 'active') throw REQUIREMENTS.status.refuse()
  if (action.protocol === '3.0')
    throw createProtocolError({ accepted: '3.0', attribute: 'protocol_version' })
  return action
}

/** @throws invalid_action, also if the team's quota is used up; and the errors of an action that another caller has just created */
async function createAction(
  graphql: Pick<Sdk, 'FindOrCreateAction'>,
  { app_id, action }: UniquenessResult,
  requestId: string,
): Promise<Action> {
  const { find_or_create_action: actions } = await graphql
    .FindOrCreateAction({ app_id, action }, { 'x-request-id': requestId })
    .catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'quota_exceeded' ? quotaError(error) : error
    })
  return requireActive(actions[0])
}

function quotaError(cause: ApiError): ApiError {
  const detail = `The app has no such action, and it cannot be created. ${cause.message}`
  return new ApiError('invalid_action', { attribute: 'action', detail, cause })
}

type CountedNullifier = { actionId: string; nullifier: string; requestId: string }

/** Returns the time of a person's first verification; null for a person who was not counted. */
async function findFirstVerification(
  graphql: Pick<Sdk, 'CountedPerson'>,
  { actionId, nullifier, requestId }: CountedNullifier,
): Promise<string | null> {
  const { nullifier_by_pk: row } = await graphql.CountedPerson(
    { action_id: actionId, nullifier_hash: nullifier },
    { 'x-request-id': requestId },
  )
  return row?.created_at ?? null
}

type AnsweredPerson = Pick<CountedPerson, 'nullifier_hash' | 'created_at' | 'outcomes'>

/** Returns the response (spec 2.19), also for a retry: the stored outcomes are those of the same proofs. */
function answerUniqueness(
  result: UniquenessResult,
  { app }: ActionCandidate,
  person: AnsweredPerson,
) {
  const outcomes = Outcomes.parse(person.outcomes)
  const proofs = result.responses.map(({ identifier, nullifier }, index) => ({
    identifier,
    nullifier: canonicalNullifier(nullifier),
    outcome: requireValue(outcomes[index], 'an outcome of each proof'),
  }))
  return {
    success: true as const,
    action: result.action,
    nullifier: person.nullifier_hash,
    created_at: person.created_at,
    environment: environmentOf(requireValue(app, 'the app of the action'), result),
    results: proofs.map(resultOf),
    message: COUNTED,
  }
}
