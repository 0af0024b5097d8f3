import { scopeOfAction } from '../../lib/proof/scope.ts'
import type { VerificationLevel } from '../../lib/proof/verification-level.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { present } from '../../lib/runtime/present.ts'
import type { Context } from '../../lib/runtime/web/operation.ts'
import type { Verification } from '../../lib/verification/verification.ts'
import type { Sdk } from '../generated/sdk.ts'
import { type Counted, countedBefore, countPerson } from './count-person.ts'
import { actionFinder, requireAction } from './find-action.ts'

/** What is claimed: that a unique person did this action of an app, with the proof of it (spec 2.1). */
export type Claim = {
  app_id: string
  action: string
  nullifier_hash: string
  proof: string
  merkle_root: string
  signal_hash: string
  verification_level: VerificationLevel
  max_age?: number | undefined
}

export type ClaimServices = {
  graphql: Sdk
  verification: Verification
  /** Milliseconds since the epoch. */
  now: () => number
}

/** What a claim is refused with. */
export const CLAIM_ERRORS = [
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

/** A person who was counted for a claim. */
export type CountedClaim = Counted & { level: VerificationLevel }

/**
 * Checks claims, and counts the person of each that is true.
 *
 * The order of the checks is part of the API. A used-up nullifier is refused twice: by `requireAction`, before
 * the work of checking its proof, and when the statement that records verifications, which enforces the limit,
 * records nothing for it. A repetition of a request that was counted is answered before either.
 *
 * The function that it returns throws `CLAIM_ERRORS`.
 */
export function claimChecker({ graphql, verification, now }: ClaimServices) {
  const findAction = actionFinder({ graphql, gather: verification.gather, now })
  return async (claim: Claim, context: Context): Promise<CountedClaim> => {
    const { requestId, address, repeatable, markReplayed } = context
    const asked = { ...claim, requestId }
    const found = await findAction(asked, repeatable)
    if (found.counted && repeatable) {
      const counted = countedBefore(found.counted, repeatable)
      markReplayed()
      return withLevel(counted)
    }
    const action = requireAction(found)
    const verdict = await verification.verify({
      proof: claim.proof,
      nullifierHash: claim.nullifier_hash,
      merkleRoot: claim.merkle_root,
      signalHash: claim.signal_hash,
      scope: scopeOfAction({ ...claim, id: action.id }),
      isStaging: action.isStaging,
      level: claim.verification_level,
      maxAgeSeconds: claim.max_age,
      callers: [claim.app_id, address],
    })
    if (!verdict.valid) throw new ApiError(verdict.reason, { attribute: verdict.attribute })
    const { nullifierHash } = verdict
    const { app_id: appId, verification_level: level } = claim
    const person = { appId, action, nullifierHash, requestId, level }
    const counted = await countPerson(verification, person, repeatable)
    if (!counted) {
      // The action may have been switched off or deleted meanwhile: then that is the error.
      requireAction(await findAction(asked, null))
      throw new ApiError('max_verifications_reached')
    }
    if (counted.isReplay) markReplayed()
    return withLevel(counted)
  }
}

/** A claim names a level, and a key stands for one request only: what was counted with it named one, too. */
function withLevel(counted: Counted): CountedClaim {
  return { ...counted, level: present(counted.level, 'the level of a claim') }
}
