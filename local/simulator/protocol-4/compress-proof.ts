import { decompressProof } from '../../../lib/proof/compressed-proof.ts'
import type { Proof } from '../../../lib/proof/encoding.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'

type CompressedProof = [a: bigint, b0: bigint, b1: bigint, c: bigint]

/**
 * Compresses a proof to four words. Decompresses a point with each choice of the bits for its sign and hint, and takes the
 * choice that gives the point.
 */
export function compressProof({ a, b, c }: Proof): CompressedProof {
  const [[bxReal, bxImaginary]] = b
  const trials = [0n, 1n, 2n, 3n].map((bits) => {
    const sign = bits & 1n
    const words: CompressedProof = [
      (a[0] << 1n) | sign,
      bxImaginary,
      (bxReal << 2n) | bits,
      (c[0] << 1n) | sign,
    ]
    return { words, proof: decompressProof(words) }
  })
  const trialOf = (point: keyof Proof, [, y]: Proof[typeof point]) =>
    requireValue(
      trials.find(({ proof }) => String(proof[point][1]) === String(y)),
      `the compressed point ${point}`,
    ).words
  return [trialOf('a', a)[0], bxImaginary, trialOf('b', b)[2], trialOf('c', c)[3]]
}
