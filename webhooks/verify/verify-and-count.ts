import { scopeOfAction } from '../../lib/proof/scope.ts'
import type { VerificationLevel } from '../../lib/proof/verification-level.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import type { Context } from '../../lib/runtime/web/operation.ts'
import type { Verification } from '../../lib/verification/verification.ts'
import type { Sdk } from '../generated/sdk.ts'
import { type CountedPerson, countedBefore, countPerson } from './counting.ts'
import { createActionFinder, requireAction } from './requirements.ts'

/** The proof that a unique person did an action of an app, as the request spells it (spec 2.1). */
export type ProofForAction = {
  app_id: string
  action: string
  nullifier_hash: string
  proof: string
  merkle_root: string
  signal_hash: string
  verification_level: VerificationLevel
  max_age?: number | undefined
}

export type VerifyServices = {
  graphql: Sdk
  verification: Verification
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The errors of a verification. */
export const VERIFY_ERRORS = [
  'not_found',
  'invalid_action',
  'invalid_engine',
  'action_inactive',
  'max_verifications_reached',
  'invalid_format',
  'invalid_merkle_root',
  'root_too_old',
  'invalid_proof',
  'idempotency_key_reused',
  'unavailable',
] as const

/**
 * Creates the function that checks a proof, and counts the person if the proof is valid.
 *
 * The order of the checks is part of the API. A used-up nullifier is refused twice: by `requireAction`, before
 * the work of checking its proof, and when the statement that records verifications, which enforces the limit,
 * records nothing for it. A retry of a request that was counted gets its answer before either.
 *
 * The created function throws `VERIFY_ERRORS`.
 */
export function createVerifyAndCount({ graphql, verification, now }: VerifyServices) {
  const findAction = createActionFinder({ graphql, gather: verification.gather, now })
  return async (proof: ProofForAction, context: Context): Promise<CountedPerson> => {
    const { requestId, address, repeatable, markReplayed } = context
    const lookup = { ...proof, requestId }
    const candidate = await findAction(lookup, repeatable)
    if (candidate.counted && repeatable) {
      const counted = countedBefore(candidate.counted, repeatable)
      markReplayed()
      return counted
    }
    const action = requireAction(candidate)
    const verdict = await verification.verify({
      proof: proof.proof,
      nullifierHash: proof.nullifier_hash,
      merkleRoot: proof.merkle_root,
      signalHash: proof.signal_hash,
      scope: scopeOfAction({ ...proof, id: action.id }),
      isStaging: action.isStaging,
      level: proof.verification_level,
      maxAgeSeconds: proof.max_age,
      callers: [proof.app_id, address],
    })
    if (!verdict.valid) throw new ApiError(verdict.reason, { attribute: verdict.attribute })
    const { nullifierHash } = verdict
    const counted = await countPerson(
      verification,
      { actionId: action.id, nullifierHash, requestId },
      {
        appId: proof.app_id,
        maxUses: action.max_verifications,
        level: proof.verification_level,
        repeatable,
      },
    )
    if (!counted) {
      // The action may have been switched off or deleted since it was found: then that is the error.
      requireAction(await findAction(lookup, null))
      throw new ApiError('max_verifications_reached')
    }
    if (counted.isReplay) markReplayed()
    return counted
  }
}
