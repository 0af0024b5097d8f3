import { type Proof, parseProof } from '../encoding.ts'
import type { Signals } from '../pairing/verification-key.ts'
import vectors from './real-proofs.json' with { type: 'json' }

/** Proofs made by real people, under the keys of real ceremonies. */
export const realProofs = vectors.map((vector) => ({
  ...vector,
  decoded: decodeProof(vector.proof),
  signals: [
    BigInt(vector.merkle_root),
    BigInt(vector.nullifier_hash),
    BigInt(vector.signal_hash),
    BigInt(vector.external_nullifier),
  ] as const satisfies Signals,
}))

/** The real proof with this name. */
export function realProof(name: string) {
  const found = realProofs.find((proof) => proof.name === name)
  if (!found) throw new Error(`There is no real proof named ${name}.`)
  return found
}

/**
 * Decodes a proof.
 *
 * @throws Error when it is malformed
 */
export function decodeProof(text: string): Proof {
  const proof = parseProof(text)
  if (!proof) throw new Error('The text is not an encoded proof.')
  return proof
}
