import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
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
import { createVerifyAndCount, VERIFY_ERRORS, type VerifyServices } from './verify.ts'

/** How many credentials one result may have; each is a proof to be checked. */
const MAX_RESPONSES = 4

/** One credential's proof, as IDKit 4 hands it over. */
const ProofResponse = z.object({
  identifier: VerificationLevel.describe('How the person was verified, as `verification_level`'),
  nullifier: hexNumber.describe("The person's number for this action, in hex"),
  proof: proofText,
  merkle_root: rootText,
  signal_hash: signalHash,
  max_age: maxAge,
})

/** Body of `POST /api/v4/verify/{app_id}` (spec 2.16): the result of IDKit 4 as it is; unknown keys are ignored. */
export const VerifyV4Input = z.object({
  app_id: z.string(),
  protocol_version: z
    .literal(
      '3.0',
      'Must be 3.0: proofs of World ID 4.0 are verified by a contract on its own chain (docs/idkit.md).',
    )
    .describe('The protocol of the proofs: only 3.0 is verified here'),
  action: z.string().describe("The action's identifier"),
  responses: z
    .array(ProofResponse)
    .min(1)
    .max(MAX_RESPONSES)
    .describe('A proof for each credential; one that is valid is enough'),
})

/** Spec 2.16. */
const VerifyV4Output = z.strictObject({
  success: z.literal(true),
  action: z.string(),
  nullifier: canonicalNumber,
  created_at: timestamp.describe(
    "When the person first verified; later verifications don't change it",
  ),
  protocol_version: z.literal('3.0'),
  identifier: VerificationLevel.describe('The credential whose proof was valid'),
  uses: z.int().describe('How often the person has verified for this action, this time included'),
  max_uses: z.int().describe('How often each person may; 0 means any number of times'),
})

type Input = z.infer<typeof VerifyV4Input>

/**
 * Verifies the result of IDKit 4 for proofs of protocol 3.0: the same check and the same count as `verify`.
 *
 * @returns spec 2.16
 * @throws what `verify` does; of several proofs, none of which is valid, what the first one is refused with
 */
export const verifyV4 = jsonOperation(
  {
    tag: 'Verification',
    summary: 'Verify the result of IDKit 4, and count the person',
    output: VerifyV4Output,
    errors: VERIFY_ERRORS,
    takesIdempotencyKey: true,
  },
  (services: VerifyServices) => {
    const verifyAndCount = createVerifyAndCount(services)
    return async (input: Input, context: Context) => {
      const { app_id, action } = input
      let refusal: ApiError | undefined
      for (const response of input.responses) {
        try {
          const proof = { app_id, action, ...proofOfResponse(response) }
          return answerV4(input, await verifyAndCount(proof, context))
        } catch (error) {
          if (!(error instanceof ApiError && OF_ONE_PROOF.has(error.code))) throw error
          refusal ??= error
        }
      }
      throw refusal
    }
  },
)

/** Codes about one proof: another one may be valid. */
const OF_ONE_PROOF: ReadonlySet<string> = new Set([
  'invalid_format',
  'invalid_merkle_root',
  'root_too_old',
  'invalid_proof',
])

/** A credential's proof with the names that fields have in `verify`. */
export function proofOfResponse<Level, Nullifier, Fields extends object>({
  identifier,
  nullifier,
  ...proof
}: Fields & { identifier: Level; nullifier: Nullifier }) {
  return { ...proof, nullifier_hash: nullifier, verification_level: identifier }
}

/** Spec 2.16. */
function answerV4(
  { action }: Input,
  { nullifier_hash, created_at, level, uses, max_uses }: CountedPerson,
) {
  return {
    success: true,
    action,
    nullifier: nullifier_hash,
    created_at,
    protocol_version: '3.0',
    identifier: present(level, 'the level, which every response names'),
    uses,
    max_uses,
  } as const
}
