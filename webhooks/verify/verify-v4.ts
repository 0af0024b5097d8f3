import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
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

/** The maximum number of credentials in a result. For each, a proof may have to be checked. */
const MAX_RESPONSES = 4

/** The proof of one credential, as IDKit 4 returns it. */
const ProofResponse = z.object({
  identifier: VerificationLevel.describe('How the person was verified, as `verification_level`'),
  nullifier: hexNumber.describe("The person's number for this action, in hex"),
  proof: proofText,
  merkle_root: rootText,
  signal_hash: signalHash,
  max_age: maxAge,
})

/** The body of `POST /api/v4/verify/{app_id}` (spec 2.16): the unchanged result of IDKit 4. Unknown keys are ignored. */
export const VerifyV4Input = z.object({
  app_id: z.string(),
  protocol_version: z
    .literal(
      '3.0',
      'Must be 3.0: proofs of World ID 4.0 are verified by a contract on its own chain (docs/idkit.md).',
    )
    .describe('The protocol of the proofs. Only 3.0 is supported'),
  action: z.string().describe("The action's identifier"),
  responses: z
    .array(ProofResponse)
    .min(1)
    .max(MAX_RESPONSES)
    .describe('One proof for each credential. One valid proof is enough'),
})

/** The response (spec 2.16). */
const VerifyV4Output = z.strictObject({
  success: z.literal(true),
  action: z.string(),
  nullifier: canonicalNumber,
  created_at: timestamp.describe(
    "When the person first verified; later verifications don't change it",
  ),
  protocol_version: z.literal('3.0'),
  identifier: VerificationLevel.describe('The credential whose proof was valid'),
  uses: z.int().describe('How often the person has verified for this action, including this time'),
  max_uses: z.int().describe('How often a person may verify for this action; 0 means no limit'),
})

type Input = z.infer<typeof VerifyV4Input>

/**
 * Verifies the result of IDKit 4 with proofs of protocol 3.0. Checks and counts like `verify`.
 *
 * @returns spec 2.16
 * @throws the errors of `verify`; if no proof is valid, the error of the first proof
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
          if (!(error instanceof ApiError && PROOF_ERRORS.has(error.code))) throw error
          refusal ??= error
        }
      }
      throw refusal
    }
  },
)

/** The errors of a single proof. Another proof of the same result may be valid. */
const PROOF_ERRORS: ReadonlySet<string> = new Set([
  'invalid_format',
  'invalid_merkle_root',
  'root_too_old',
  'invalid_proof',
])

/** Returns a credential's proof with the field names of `verify`. */
export function proofOfResponse<Level, Nullifier, Fields extends object>({
  identifier,
  nullifier,
  ...proof
}: Fields & { identifier: Level; nullifier: Nullifier }) {
  return { ...proof, nullifier_hash: nullifier, verification_level: identifier }
}

/** Returns the response (spec 2.16). */
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
    identifier: requireValue(level, 'the level, which every response names'),
    uses,
    max_uses,
  } as const
}
