import type { SnarkjsProof } from 'snarkjs'
import type { Proof } from '../../lib/proof/encoding.ts'

/** Reads a proof in snarkjs' format. */
export function proofFromSnarkjs({ pi_a, pi_b, pi_c }: SnarkjsProof): Proof {
  const pair = ([first, second]: readonly [string, string, ...string[]]) =>
    [BigInt(first), BigInt(second)] as const
  return { a: pair(pi_a), b: [pair(pi_b[0]), pair(pi_b[1])], c: pair(pi_c) }
}

/** Writes a proof in snarkjs' format. */
export function proofForSnarkjs({ a, b: [x, y], c }: Proof): SnarkjsProof {
  return {
    pi_a: [`${a[0]}`, `${a[1]}`, '1'],
    pi_b: [
      [`${x[0]}`, `${x[1]}`],
      [`${y[0]}`, `${y[1]}`],
      ['1', '0'],
    ],
    pi_c: [`${c[0]}`, `${c[1]}`, '1'],
    protocol: 'groth16',
    curve: 'bn128',
  }
}
