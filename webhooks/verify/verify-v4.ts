import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import { requireAppOrRpId } from '../relying-party/app-id.ts'
import { createAppOfRp } from '../relying-party/app-of-rp.ts'
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
import { Form4 } from './protocol-4/form.ts'
import { createVerifySession, SessionOutput } from './protocol-4/verify-session.ts'
import { createVerifyUniqueness, UniquenessOutput } from './protocol-4/verify-uniqueness.ts'
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

/** The body of `POST /api/v4/verify/{app_id}` for protocol 3.0 (spec 2.16). Unknown keys are ignored. */
const Form3 = z.object({
  app_id: z.string(),
  protocol_version: z.literal('3.0'),
  action: z.string().describe("The action's identifier"),
  responses: z
    .array(ProofResponse)
    .min(1)
    .max(MAX_RESPONSES)
    .describe('One proof for each credential. One valid proof is enough'),
})

/** The body of `POST /api/v4/verify/{app_id}`: the result of IDKit 4. */
export const VerifyV4Input = z.discriminatedUnion('protocol_version', [Form3, Form4], {
  error: 'Must be 3.0 or 4.0: the protocol of the proofs.',
})

/** The response (spec 2.16). */
const Output3 = z.strictObject({
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

type Result3 = z.infer<typeof Form3>

/** The errors of a result of protocol 4.0 that other results do not have. */
const ERRORS_4 = [
  'configuration_error',
  'all_verifications_failed',
  'invalid_integrity_bundle',
] as const

/**
 * Verifies the result of IDKit 4. For proofs of protocol 3.0, checks and counts like `verify`; if no proof is valid, the
 * error is that of the first proof. For proofs of protocol 4.0, the error is all_verifications_failed.
 *
 * @returns spec 2.16, 2.19 or 2.20
 * @throws invalid_request and not_found for an id that is no app's; the errors of `verify`, and `ERRORS_4`
 */
export const verifyV4 = jsonOperation(
  {
    tag: 'Verification',
    summary: 'Verify the result of IDKit 4, and count the person',
    appField: 'app_id',
    output: z.union([Output3, UniquenessOutput, SessionOutput]),
    errors: [...VERIFY_ERRORS, ...ERRORS_4],
    takesIdempotencyKey: true,
  },
  (services: VerifyServices) => {
    const findAppOfRp = createAppOfRp(services.graphql)
    const verifyResult3 = createVerifyResult3(services)
    const verifyUniqueness = createVerifyUniqueness(services)
    const verifySession = createVerifySession(services)
    return async (input: z.infer<typeof VerifyV4Input>, context: Context) => {
      const { app_id: id } = input
      // An id that is no rp id keeps its response for protocol 3.0.
      const isRpId = id.startsWith('rp_')
      const pathId = isRpId || 'kind' in input ? requireAppOrRpId(id, 'app_id') : id
      const app_id = isRpId ? await findAppOfRp(pathId, context.requestId) : pathId
      if (!('kind' in input)) return verifyResult3({ ...input, app_id }, context)
      return input.kind === 'session'
        ? verifySession({ ...input, app_id }, context)
        : verifyUniqueness({ ...input, app_id }, context)
    }
  },
)

function createVerifyResult3(services: VerifyServices) {
  const verifyAndCount = createVerifyAndCount(services)
  return async (input: Result3, context: Context) => {
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
}

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
  { action }: Result3,
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
