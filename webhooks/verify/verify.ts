import { z } from 'zod'
import { present } from '../../lib/runtime/present.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import { canonicalNumber, timestamp } from '../route/answer-schemas.ts'
import type { CountedPerson } from './counting.ts'
import {
  hexNumber,
  maxAge,
  proofText,
  rootText,
  signalHash,
  VerificationLevel,
} from './proof-fields.ts'
import { createVerifyAndCount, VERIFY_ERRORS, type VerifyServices } from './verify-and-count.ts'

/** Body of `POST /api/v2/verify/{app_id}` (spec 2.1); unknown keys are ignored. */
export const VerifyInput = z.object({
  app_id: z.string(),
  nullifier_hash: hexNumber.describe("The person's number for this action, in hex"),
  proof: proofText,
  merkle_root: rootText,
  verification_level: VerificationLevel.describe(
    'How the person was verified; the group of the root must prove it',
  ),
  action: z.string().describe("The action's identifier; empty for sign-in"),
  signal_hash: signalHash,
  max_age: maxAge,
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

/**
 * Checks that a unique person did an action, and counts it.
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
    errors: VERIFY_ERRORS,
    takesIdempotencyKey: true,
  },
  (services: VerifyServices) => {
    const verifyAndCount = createVerifyAndCount(services)
    return async (input: Input, context: Context) =>
      answer(input, await verifyAndCount(input, context))
  },
)

/** Spec 2.2. */
function answer(input: Input, counted: CountedPerson) {
  return {
    success: true,
    action: input.action,
    nullifier_hash: counted.nullifier_hash,
    created_at: counted.created_at,
    uses: counted.uses,
    max_uses: counted.max_uses,
    verification_level: present(counted.level, 'the level, which every request names'),
  } as const
}
