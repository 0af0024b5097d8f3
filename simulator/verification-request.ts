import { formatField, formatProof, type Proof } from '../proof/encoding.ts'
import type { Signals } from '../proof/pairing/verification-key.ts'
import type { VerificationLevel } from '../proof/verification-level.ts'

/** The body of `POST /api/v2/verify/{app_id}`. */
export type VerificationRequest = {
  nullifier_hash: string
  merkle_root: string
  proof: string
  verification_level: VerificationLevel
  action: string
  signal_hash: string
}

/** Puts a proof into the form in which a widget hands it over. */
export function verificationRequest(
  { action, level = 'orb' }: { action: string; level?: VerificationLevel | undefined },
  proof: Proof,
  [root, nullifier, signal]: Signals,
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
