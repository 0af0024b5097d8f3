import { type Proof, parseProof } from '../encoding.ts'
import type { Protocol3Signals } from '../pairing/verification-key.ts'
import vectors from './real-proofs.json' with { type: 'json' }

/** Proofs of real people. They are valid for the keys of real trusted-setup ceremonies. */
export const realProofs = vectors.map((vector) => ({
  ...vector,
  decoded: decodeProof(vector.proof),
  signals: [
    BigInt(vector.merkle_root),
    BigInt(vector.nullifier_hash),
    BigInt(vector.signal_hash),
    BigInt(vector.external_nullifier),
  ] as const satisfies Protocol3Signals,
}))

/** Returns the real proof with this name. */
export function realProof(name: string) {
  const proof = realProofs.find((candidate) => candidate.name === name)
  if (!proof) throw new Error(`real-proofs.json has no proof named ${name}.`)
  return proof
}

/** @throws Error if the text is not an encoded proof */
export function decodeProof(text: string): Proof {
  const proof = parseProof(text)
  if (!proof) throw new Error('The text is not an encoded proof.')
  return proof
}
