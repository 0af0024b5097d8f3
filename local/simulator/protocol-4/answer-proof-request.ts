import { formatField, hashToField } from '../../../lib/proof/encoding.ts'
import { formatSessionId, type SessionId } from '../../../lib/proof/protocol-4/session-id.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { type Choice, chooseCredentials } from './choose-credentials.ts'
import type { TreeMember } from './credential-tree.ts'
import { makeProof4, type Proof4, type ProvingTools4 } from './make-proof.ts'
import type { ProofRequest } from './proof-request.ts'
import { openSession, randomSessionAction } from './sessions.ts'

/**
 * Answers a proof request as a simulated person, as wallets answer IDKit.
 *
 * @see https://github.com/worldcoin/idkit (rust/core/src/bridge.rs, at 2cd8a912)
 * @throws WalletRefusal if the person cannot satisfy the request
 */
export async function answerProofRequest(
  member: TreeMember,
  { request, hasClaims }: { request: ProofRequest; hasClaims: boolean },
  tools: ProvingTools4,
) {
  const choices = chooseCredentials(member.holder, request)
  const session =
    request.proof_type === 'uniqueness'
      ? null
      : openSession(member.holder.secret, request.rp_id, request.session_id ?? 'create')
  const responses: object[] = []
  for (const choice of choices) {
    const response = await answerItem({ member, choice, request, session }, tools)
    const isSelfie = choice.credential.name === 'selfie'
    responses.push(hasClaims && isSelfie ? { ...response, claims: [SYBIL_SCORE] } : response)
  }
  return {
    id: request.id,
    version: 1,
    ...(session && { session_id: formatSessionId(session) }),
    responses,
  }
}

/** The claim of the credential `selfie`, which IDKit reads from version 4.3 on. Earlier versions accept no claims. */
const SYBIL_SCORE = formatField(0n)

type ItemToAnswer = {
  member: TreeMember
  choice: Choice
  request: ProofRequest
  session: SessionId | null
}

async function answerItem(
  { member, choice: { item, credential, bounds }, request, session }: ItemToAnswer,
  tools: ProvingTools4,
) {
  const action = session ? randomSessionAction() : requireValue(request.action, 'the action')
  const purpose = {
    ...{ rpId: request.rp_id, action, session, nonce: request.nonce, ...bounds },
    signalHash: item.signal == null ? 0n : hashToField(Buffer.from(item.signal.slice(2), 'hex')),
  }
  const proof = await makeProof4({ member, credential, purpose }, tools)
  return {
    identifier: item.identifier,
    issuer_schema_id: Number(item.issuer_schema_id),
    proof: proof.words.map((word) => word.slice(2)).join(''),
    ...formatNullifier(proof, session),
    expires_at_min: Number(bounds.expiresAtMin),
  }
}

function formatNullifier({ inputs: { nullifier, action } }: Proof4, session: SessionId | null) {
  const digits = (n: bigint) => formatField(n).slice(2)
  return session
    ? { session_nullifier: `snil_${digits(nullifier)}${digits(action)}` }
    : { nullifier: `nil_${digits(nullifier)}` }
}
