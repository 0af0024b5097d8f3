import { z } from 'zod'
import { scopeOfAction } from '../../lib/proof/scope.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { Verification } from '../../lib/verification/verification.ts'
import type { Sdk } from '../generated/sdk.ts'
import { canonicalNumber, timestamp } from '../route/answer-schemas.ts'
import { type CountedPerson, countPerson, readCountedPerson } from './counting.ts'
import {
  hexNumber,
  maxAge,
  proofText,
  rootText,
  signalHash,
  VerificationLevel,
} from './proof-fields.ts'
import { createActionFinder, requireAction } from './requirements.ts'

/** The body of `POST /api/v2/verify/{app_id}` (spec 2.1); unknown keys are ignored. */
export const VerifyInput = z.object({
  app_id: z.string(),
  nullifier_hash: hexNumber.describe("The person's number for this action, in hex"),
  proof: proofText,
  merkle_root: rootText,
  verification_level: VerificationLevel.describe(
    'How the person was verified. A group with this root must prove the level',
  ),
  action: z.string().describe("The action's identifier; empty for sign-in"),
  signal_hash: signalHash,
  max_age: maxAge,
})

/** The response: the fields of spec 2.2, and three more. */
const VerifyOutput = z.strictObject({
  success: z.literal(true),
  action: z.string(),
  nullifier_hash: canonicalNumber,
  created_at: timestamp.describe(
    "When the person first verified; later verifications don't change it",
  ),
  uses: z.int().describe('How often the person has verified for this action, including this time'),
  max_uses: z.int().describe('How often a person may verify for this action; 0 means no limit'),
  verification_level: VerificationLevel,
})

/** The proof that a person did an action of an app, as the request spells it. */
type Input = z.infer<typeof VerifyInput>

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
  'invalid_protocol',
  'max_verifications_reached',
  'invalid_format',
  'invalid_merkle_root',
  'root_too_old',
  'invalid_proof',
  'idempotency_key_reused',
  'unavailable',
] as const

/**
 * Checks a proof that a person did an action, and counts the person.
 *
 * @returns spec 2.2, and `uses`, `max_uses`, `verification_level`
 * @throws not_found, invalid_action, invalid_engine, action_inactive, invalid_protocol, max_verifications_reached,
 *   invalid_format, invalid_merkle_root, root_too_old, invalid_proof, idempotency_key_reused,
 *   unavailable
 */
export const verify = jsonOperation(
  {
    tag: 'Verification',
    summary: 'Verify a proof, and count the person',
    appField: 'app_id',
    output: VerifyOutput,
    errors: VERIFY_ERRORS,
    takesIdempotencyKey: true,
  },
  (services: VerifyServices) => {
    const verifyAndCount = createVerifyAndCount(services)
    return async (input: Input, context: Context) =>
      answer(input, await verifyAndCount(input, context))
  },
)

/** Returns the response (spec 2.2). */
function answer(input: Input, person: CountedPerson) {
  return {
    success: true,
    action: input.action,
    nullifier_hash: person.nullifier_hash,
    created_at: person.created_at,
    uses: person.uses,
    max_uses: person.max_uses,
    verification_level: requireValue(person.level, 'the level, which every request names'),
  } as const
}

/**
 * Creates the function that checks a proof, and counts the person if the proof is valid.
 *
 * The order of the checks is part of the API. `requireAction` refuses a used-up nullifier early, to save the work of
 * checking its proof. The statement that records a verification enforces the limit. A retry of a counted request gets
 * its response without these checks.
 *
 * The created function throws `VERIFY_ERRORS`.
 */
export function createVerifyAndCount({ graphql, verification, now }: VerifyServices) {
  const findAction = createActionFinder({ graphql, gather: verification.gather, now })
  return async (proof: Input, context: Context): Promise<CountedPerson> => {
    const { requestId, address, repeatable, markReplayed } = context
    const lookup = { ...proof, requestId }
    const candidate = await findAction(lookup, repeatable)
    if (candidate.countedRequest && repeatable) {
      const replayedPerson = readCountedPerson(candidate.countedRequest, repeatable)
      markReplayed()
      return replayedPerson
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
    const person = await countPerson(
      verification,
      { actionId: action.id, nullifierHash, protocol: '3.0', requestId },
      {
        appId: proof.app_id,
        maxUses: action.max_verifications,
        level: proof.verification_level,
        repeatable,
      },
    )
    if (!person) {
      // If the action was deactivated or deleted in the meantime, this throws the right error.
      requireAction(await findAction(lookup, null))
      throw new ApiError('max_verifications_reached')
    }
    if (person.isReplay) markReplayed()
    return person
  }
}
