import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import { formatField, hashToField } from '../../proof/encoding.ts'
import { scopeOfAction } from '../../proof/scope.ts'
import { VERIFICATION_LEVELS } from '../../proof/verification-level.ts'
import type { Verification } from '../../verification/verification.ts'
import type { Sdk } from '../generated/sdk.ts'
import { canonicalNumber, timestamp } from '../route/answer-schemas.ts'
import { type Context, jsonOperation } from '../route/operation.ts'
import { type Counted, countedBefore, countPerson } from './count-person.ts'
import { actionFinder, requireAction } from './find-action.ts'

const VerificationLevel = z.enum(VERIFICATION_LEVELS)

/** Body of `POST /api/v2/verify/{app_id}` (spec 2.1); unknown keys are ignored. */
export const VerifyInput = z.object({
  app_id: z.string(),
  nullifier_hash: z
    .string()
    .regex(/^(0x)?[0-9a-fA-F]{1,64}$/, 'Must be hex of 1 to 64 digits, with or without 0x.')
    .describe("The person's number for this action, in hex"),
  proof: z.string().describe('The proof, in any encoding that wallets use'),
  merkle_root: z.string().describe('The Merkle root that the proof was made for, in hex'),
  verification_level: VerificationLevel.describe(
    'How the person was verified; the group of the root must prove it',
  ),
  action: z.string().describe("The action's identifier; empty for sign-in"),
  signal_hash: z
    .string()
    .regex(/^0x[0-9a-fA-F]+$/, 'Must be hex that begins with 0x.')
    .default(formatField(hashToField('')))
    .describe('The hash of the signal, in hex; that of the empty text by default'),
  max_age: z
    .int()
    .min(3_600)
    .max(604_800)
    .optional()
    .describe(
      'How many seconds ago the root may have been superseded; it never allows more than the service does',
    ),
})

/** Spec 2.2, and three fields beyond it. */
const VerifyOutput = z.strictObject({
  success: z.literal(true),
  action: z.string(),
  nullifier_hash: canonicalNumber,
  created_at: timestamp.describe(
    "When the person first verified; later verifications don't change it",
  ),
  uses: z.int().describe('How often the person has verified for this action, this time included'),
  max_uses: z.int().describe('How often each person may; 0 means any number of times'),
  verification_level: VerificationLevel,
})

type Input = z.infer<typeof VerifyInput>

export type VerifyServices = {
  graphql: Sdk
  verification: Verification
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Checks that a unique person did an action, and counts it.
 *
 * The order of the checks is part of the API. A used-up nullifier is refused twice: by `requireAction`, before
 * the work of checking its proof, and when the statement that records verifications, which enforces the limit,
 * records nothing for it. A repetition of a request that was counted is answered before either.
 *
 * @returns spec 2.2, and `uses`, `max_uses`, `verification_level`
 * @throws not_found, invalid_action, invalid_engine, action_inactive, max_verifications_reached,
 *   invalid_format, invalid_merkle_root, root_too_old, invalid_proof, idempotency_key_reused,
 *   unavailable
 */
export const verify = jsonOperation(
  {
    tag: 'Verification',
    summary: 'Verify a proof, and count the person',
    output: VerifyOutput,
    errors: [
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
    ],
    takesIdempotencyKey: true,
  },
  ({ graphql, verification, now }: VerifyServices) => {
    const findAction = actionFinder({ graphql, gather: verification.gather, now })
    return async (input: Input, context: Context) => {
      const { requestId, address, repeatable, markReplayed } = context
      const asked = { ...input, requestId }
      const found = await findAction(asked, repeatable)
      if (found.counted && repeatable) {
        const counted = countedBefore(found.counted, repeatable)
        markReplayed()
        return answer(input, counted)
      }
      const action = requireAction(found)
      const verdict = await verification.verify({
        proof: input.proof,
        nullifierHash: input.nullifier_hash,
        merkleRoot: input.merkle_root,
        signalHash: input.signal_hash,
        scope: scopeOfAction({ ...input, id: action.id }),
        isStaging: action.isStaging,
        level: input.verification_level,
        maxAgeSeconds: input.max_age,
        callers: [input.app_id, address],
      })
      if (!verdict.valid) throw new ApiError(verdict.reason, { attribute: verdict.attribute })
      const { nullifierHash } = verdict
      const person = { appId: input.app_id, action, nullifierHash, requestId }
      const counted = await countPerson(verification, person, repeatable)
      if (!counted) {
        // The action may have been switched off or deleted meanwhile: then that is the error.
        requireAction(await findAction(asked, null))
        throw new ApiError('max_verifications_reached')
      }
      if (counted.isReplay) markReplayed()
      return answer(input, counted)
    }
  },
)

/** Spec 2.2. */
function answer(input: Input, counted: Counted) {
  return {
    success: true,
    action: input.action,
    nullifier_hash: counted.nullifier_hash,
    created_at: counted.created_at,
    uses: counted.uses,
    max_uses: counted.max_uses,
    verification_level: input.verification_level,
  } as const
}
