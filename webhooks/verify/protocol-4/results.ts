import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import type { Reason4 } from '../../../lib/verification/protocol-4/verify-proof-4.ts'
import { canonicalNumber } from '../../route/answer-schemas.ts'

/** The reasons for which a proof is refused, for people. The codes are part of the API. */
const DETAILS = {
  invalid_format: 'A field of the proof cannot be decoded.',
  invalid_public_input:
    'A number of the proof is outside its range, or of the other kind of proof.',
  invalid_root: 'The Merkle root is unknown or too old: make a new proof.',
  invalid_credential_issuer:
    'No registered issuer gives this credential: compare identifier and issuer_schema_id.',
  invalid_rp: 'The chain has no key for this relying party: register its rp id first.',
  outdated_nullifier: 'expires_at_min is too long ago: make a new proof.',
  invalid_proof: 'The proof is not valid for these values.',
  credential_not_accepted:
    'The action does not accept this credential: change the credentials of the action (a new action accepts proof_of_human), or request another one.',
} as const satisfies Record<Reason, string>

/** A reason to refuse a proof: the proof is not valid, or the action does not accept its credential. */
type Reason = Reason4 | 'credential_not_accepted'

const Reason = z.enum(Object.keys(DETAILS) as [Reason, ...Reason[]])
/** The outcome of a proof: a reason to refuse it, or an empty text for an accepted proof. */
export type Outcome = Reason | ''

/** The outcomes of a request, as the database has them. */
export const Outcomes = z.array(z.union([Reason, z.literal('')]))

const result = {
  identifier: z.string(),
  success: z.boolean(),
  nullifier: canonicalNumber.optional().describe('Only if the proof is accepted'),
  code: Reason.optional().describe('The reason, if the proof is refused'),
  detail: z.string().optional(),
}

/** The result of a uniqueness proof. */
export const ProofResult = z.strictObject(result)

/** The result of a session proof. */
export const SessionProofResult = z.strictObject({ ...result, sessionId: z.string() })

/** A proof with the number of its person and its outcome. */
export type CheckedProof = { identifier: string; nullifier: string; outcome: Outcome }

/** Returns the result of a proof for the response. */
export function resultOf({ identifier, nullifier, outcome }: CheckedProof) {
  return outcome === ''
    ? { identifier, success: true, nullifier }
    : { identifier, success: false, code: outcome, detail: DETAILS[outcome] }
}

/** Refuses the valid proofs of credentials that an action does not accept. */
export function acceptCredentials(
  proofs: readonly CheckedProof[],
  credentials: readonly string[],
): CheckedProof[] {
  return proofs.map((proof) =>
    proof.outcome === '' && !credentials.includes(proof.identifier)
      ? { ...proof, nullifier: '', outcome: 'credential_not_accepted' }
      : proof,
  )
}

/**
 * Returns the first accepted proof.
 *
 * @param results the results of all proofs, for the error
 * @throws all_verifications_failed
 */
export function requireValidProof(
  proofs: readonly CheckedProof[],
  results: readonly object[],
): CheckedProof {
  const valid = proofs.find(({ outcome }) => outcome === '')
  if (!valid) throw new ApiError('all_verifications_failed', { results })
  return valid
}
