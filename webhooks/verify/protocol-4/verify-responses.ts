import { hashToField } from '../../../lib/proof/encoding.ts'
import { mayName } from '../../../lib/proof/protocol-4/credentials.ts'
import { parseRpId } from '../../../lib/proof/protocol-4/rp-id.ts'
import { parseWord } from '../../../lib/proof/protocol-4/words.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import type { SubmittedProof4 } from '../../../lib/verification/protocol-4/decode-proof.ts'
import type { Verification } from '../../../lib/verification/verification.ts'
import { commitmentOf, type SessionResult, type UniquenessResult } from './form.ts'
import type { CheckedProof, Outcome } from './results.ts'

/** The app that a proof is for. */
type Target = { rp_id: string; is_staging: boolean; callers: readonly string[] }

type Verify = Pick<Verification, 'verify4'>

/** Checks each uniqueness proof of a result. */
export function verifyUniqueness(
  verification: Verify,
  result: UniquenessResult,
  target: Target,
): Promise<CheckedProof[]> {
  const action = hashToField(Buffer.from(result.action))
  const proofs = result.responses.map((response) => ({
    ...response,
    action,
    sessionId: 0n,
  }))
  return verifyAll(verification, { ...target, nonce: result.nonce }, proofs)
}

/** Checks each session proof of a result. The second word of a session nullifier is the action of the proof. */
export function verifySession(
  verification: Verify,
  result: SessionResult,
  target: Target,
): Promise<CheckedProof[]> {
  const sessionId = requireValue(commitmentOf(result.session_id), 'the parsed session id')
  const proofs = result.responses.map(
    ({ session_nullifier: [nullifier = '', action = ''], ...response }) => ({
      ...response,
      nullifier,
      action: parseWord(action),
      sessionId,
    }),
  )
  return verifyAll(verification, { ...target, nonce: result.nonce }, proofs)
}

type Proof = Omit<UniquenessResult['responses'][number], 'proof'> & {
  proof: readonly string[]
  /** Null if the action cannot be decoded. */
  action: bigint | null
  sessionId: bigint
}

function verifyAll(
  { verify4 }: Verify,
  target: Target & { nonce: string },
  proofs: readonly Proof[],
): Promise<CheckedProof[]> {
  return Promise.all(
    proofs.map(async (proof) => {
      const { identifier } = proof
      const refuse = (outcome: Outcome) => ({ identifier, nullifier: '', outcome })
      const submitted = submissionOf(proof, target)
      if (!submitted) return refuse('invalid_format')
      const verdict = await verify4(submitted)
      if (!verdict.valid) return refuse(verdict.reason)
      if (!mayName(identifier, submitted.issuerSchemaId)) return refuse('invalid_credential_issuer')
      return { identifier, nullifier: verdict.nullifierHash, outcome: '' as const }
    }),
  )
}

function submissionOf(
  { action, ...proof }: Proof,
  { rp_id, is_staging, callers, nonce }: Target & { nonce: string },
): SubmittedProof4 | null {
  if (action === null) return null
  return {
    isStaging: is_staging,
    rpId: requireValue(parseRpId(rp_id), 'the stored rp id'),
    action,
    nullifier: proof.nullifier,
    nonce,
    signalHash: proof.signal_hash,
    issuerSchemaId: BigInt(proof.issuer_schema_id),
    expiresAtMin: BigInt(proof.expires_at_min),
    credentialGenesisIssuedAtMin: BigInt(proof.credential_genesis_issued_at_min),
    sessionId: proof.sessionId,
    proof: proof.proof,
    callers,
  }
}
