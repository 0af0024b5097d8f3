import { z } from 'zod'
import { formatField, formatProof, type Proof } from '../../lib/proof/encoding.ts'
import type { Protocol3Signals } from '../../lib/proof/pairing/verification-key.ts'
import { VERIFICATION_LEVELS, type VerificationLevel } from '../../lib/proof/verification-level.ts'

/** The body of `POST /api/v2/verify/{app_id}`. */
export const VerificationRequest = z.object({
  nullifier_hash: z.string(),
  merkle_root: z.string(),
  proof: z.string(),
  verification_level: z.enum(VERIFICATION_LEVELS),
  action: z.string(),
  signal_hash: z.string(),
})

export type VerificationRequest = z.infer<typeof VerificationRequest>

/** Formats a proof as an IDKit widget does. */
export function verificationRequest(
  { action, level = 'orb' }: { action: string; level?: VerificationLevel | undefined },
  proof: Proof,
  [root, nullifier, signal]: Protocol3Signals,
): VerificationRequest {
  return {
    nullifier_hash: formatField(nullifier),
    merkle_root: formatField(root),
    proof: formatProof(proof),
    verification_level: level,
    action,
    signal_hash: formatField(signal),
  }
}
