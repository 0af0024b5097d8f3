import type { ContractProof } from '../../chain/world-id-contracts.ts'
import type { CompressedProof } from '../../proof/compressed-proof.ts'
import { r } from '../../proof/field.ts'
import { kindOfAction } from '../../proof/protocol-4/public-signals.ts'
import { parseHexWord, parseProofWords, parseWord } from '../../proof/protocol-4/words.ts'

/** A proof of protocol 4.0 as the caller sent it. */
export type SubmittedProof4 = {
  isStaging: boolean
  rpId: bigint
  /** The field element of the action; for a session proof, the second word of the session nullifier. */
  action: bigint
  /** Hex, with or without `0x`; for a session proof, the first word of the session nullifier. */
  nullifier: string
  /** The other numbers are hex with `0x`, or decimal. */
  nonce: string
  signalHash: string
  issuerSchemaId: bigint
  /** Seconds since the epoch. */
  expiresAtMin: bigint
  credentialGenesisIssuedAtMin: bigint
  /** The commitment of the session; 0 for a uniqueness proof. */
  sessionId: bigint
  /** The five words. */
  proof: readonly string[]
  /**
   * The callers that this request counts for, like the app and the sender's address. They share threads and chain
   * fairly.
   */
  callers: readonly string[]
}

/** A proof as numbers. */
export type DecodedProof4 = { proof: CompressedProof; numbers: ContractProof }

/** The fields of a proof that are wrong; the proof is decoded if there are none. */
export type Decoding4 = {
  /** The names, as in the request, of the fields that cannot be decoded. */
  unreadable: string[]
  /** The names of the fields whose number is outside its range. An action is outside if it belongs to the other kind of proof. */
  outOfRange: string[]
  decoded: DecodedProof4 | null
}

/** Decodes a proof, and checks the range of each number as the verifier contract does. */
export function decodeProof4(submitted: SubmittedProof4): Decoding4 {
  const proof = parseProofWords(submitted.proof)
  const nullifier = parseHexWord(submitted.nullifier)
  const nonce = parseWord(submitted.nonce)
  const signalHash = parseWord(submitted.signalHash)
  const unreadable = Object.entries({ nullifier, nonce, signal_hash: signalHash, proof }).flatMap(
    ([name, value]) => (value === null ? [name] : []),
  )
  const outOfRange = fieldsOutOfRange(submitted, { nullifier, nonce, signal_hash: signalHash })
  if (proof === null || nullifier === null || nonce === null || signalHash === null)
    return { unreadable, outOfRange, decoded: null }
  if (outOfRange.length > 0) return { unreadable, outOfRange, decoded: null }
  const { rpId, action, issuerSchemaId, expiresAtMin, sessionId } = submitted
  const { credentialGenesisIssuedAtMin } = submitted
  const decoded = {
    proof: proof.proof,
    numbers: {
      ...{ rpId, action, issuerSchemaId, expiresAtMin, sessionId, credentialGenesisIssuedAtMin },
      ...{ nullifier, nonce, signalHash, words: proof.words },
    },
  }
  return { unreadable, outOfRange, decoded }
}

function fieldsOutOfRange(
  submitted: SubmittedProof4,
  words: Record<string, bigint | null>,
): string[] {
  const { action, sessionId, credentialGenesisIssuedAtMin } = submitted
  const { rpId, issuerSchemaId, expiresAtMin } = submitted
  const kind = sessionId === 0n ? 'uniqueness' : 'session'
  const elements = {
    ...words,
    action: kindOfAction(action) === kind ? action : r,
    session_id: sessionId,
    credential_genesis_issued_at_min: credentialGenesisIssuedAtMin,
  }
  const integers = { rp_id: rpId, issuer_schema_id: issuerSchemaId, expires_at_min: expiresAtMin }
  return [...namesOutside(elements, r), ...namesOutside(integers, UINT64)]
}

const UINT64 = 1n << 64n

function namesOutside(numbers: Record<string, bigint | null>, limit: bigint): string[] {
  return Object.entries(numbers).flatMap(([name, n]) =>
    n !== null && (n < 0n || n >= limit) ? [name] : [],
  )
}
