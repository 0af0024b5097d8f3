import { formatField } from '../../../lib/proof/encoding.ts'
import { protocol4Proof } from '../../../lib/proof/examples/protocol-4-proofs.ts'
import { REAL_PROOF } from '../../../lib/proof/examples/real-requests.ts'
import { formatSessionId } from '../../../lib/proof/protocol-4/session-id.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'

/** The public proofs belong to a relying party of World, so this platform refuses them for its apps. */
const uniqueness = examplePartsOf('uniqueness')
const session = examplePartsOf('session')

export const NULLIFIER_4 = uniqueness.nullifier
export const SESSION_NULLIFIER_4 = session.nullifier

export const RESULT_4 = {
  protocol_version: '4.0',
  nonce: uniqueness.nonce,
  action: REAL_PROOF.body.action,
  environment: 'production',
  responses: [{ ...uniqueness.response, nullifier: uniqueness.nullifier }],
}

export const SESSION_RESULT_4 = {
  protocol_version: '4.0',
  nonce: session.nonce,
  session_id: formatSessionId({ commitment: session.commitment, oprfSeed: (1n << 248n) | 1n }),
  environment: 'production',
  responses: [{ ...session.response, session_nullifier: [session.nullifier, session.action] }],
}

/** Returns the parts of a public proof, as clients send them. */
function examplePartsOf(name: string) {
  const { words, signals } = protocol4Proof(name)
  const at = (index: number) => requireValue(signals[index], 'the signal of a public proof')
  return {
    nullifier: formatField(at(0)),
    action: formatField(at(9)),
    nonce: formatField(at(13)),
    commitment: at(14),
    response: {
      identifier: 'proof_of_human',
      signal_hash: formatField(at(12)),
      issuer_schema_id: Number(at(1)),
      expires_at_min: Number(at(4)),
      credential_genesis_issued_at_min: Number(at(5)),
      proof: words,
    },
  }
}
