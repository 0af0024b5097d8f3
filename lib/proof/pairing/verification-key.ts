import type { CompressedProof } from '../compressed-proof.ts'
import type { Proof } from '../encoding.ts'
import type { G1, G2 } from '../field.ts'

/** A Groth16 verification key. `keys.ts` checks that its points are on their curves. */
export type VerificationKey = {
  alpha: G1
  beta: G2
  gamma: G2
  delta: G2
  /** The constant, and a point for each public signal. */
  ic: readonly [constant: G1, ...factors: G1[]]
}

/** The public signals in the order of the circuit: four in protocol 3.0, fifteen in protocol 4.0. */
export type Signals = readonly bigint[]

/** The public signals of protocol 3.0: merkle_root, nullifier_hash, signal_hash, external_nullifier. */
export type Protocol3Signals = readonly [bigint, bigint, bigint, bigint]

/** A proof, which may be compressed. */
export type AnyProof = Proof | CompressedProof

/**
 * Verifies a Groth16 proof for a key, on the calling thread.
 *
 * A proof is valid if e(A, B) = e(alpha, beta) · e(X, gamma) · e(C, delta), where X is the constant plus each signal
 * times its point.
 *
 * @see https://eprint.iacr.org/2016/260 (Groth 2016, section 3.2)
 *
 * @returns true only for a valid proof of these signals. Numbers outside their field give false, and so do points that are
 *   zero, not on the curve, or outside the subgroup, and another number of signals than the key has. Never throws for
 *   wrong input.
 */
export type ProofVerifier = (proof: AnyProof, signals: Signals) => boolean
