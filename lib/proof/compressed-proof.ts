import { type Fp2, type G1, type G2, modularInverse, modularPower, modulo, p } from './field.ts'

/**
 * The four words of a compressed proof: `[a, b0, b1, c]`.
 *
 * `a` and `c` are `x << 1 | sign`. `b0` is the imaginary part of B.x; `b1` is `real part << 2 | hint << 1 | sign`. The
 * deployed verifier contracts use this format.
 */
export type CompressedProof = readonly [bigint, bigint, bigint, bigint]

/**
 * Decompresses a proof.
 *
 * If no point of the curve has the coordinate x, the result is not on the curve, and the verifier rejects it.
 */
export function decompressProof([a, b0, b1, c]: CompressedProof) {
  return { a: decompressCurvePoint(a), b: decompressTwistPoint(b0, b1), c: decompressCurvePoint(c) }
}

function decompressCurvePoint(word: bigint): G1 {
  const x = word >> 1n
  const y = squareRoot(x ** 3n + 3n)
  return [x, word & 1n ? modulo(-y, p) : y]
}

function decompressTwistPoint(imaginary: bigint, word: bigint): G2 {
  const x: Fp2 = [word >> 2n, imaginary]
  const [yReal, yImaginary] = squareRootInFp2(twistEquation(x), (word & 2n) !== 0n)
  return [x, word & 1n ? [modulo(-yReal, p), modulo(-yImaginary, p)] : [yReal, yImaginary]]
}

/** Returns y² from the twist's equation, y² = x³ + 3 / (9 + i). */
function twistEquation([a, b]: Fp2): Fp2 {
  const eightySecond = modularInverse(82n, p)
  const real = a ** 3n - 3n * a * b ** 2n + 27n * eightySecond
  const imaginary = 3n * a ** 2n * b - b ** 3n - 3n * eightySecond
  return [modulo(real, p), modulo(imaginary, p)]
}

/** Computes the square root by the complex method. The hint selects between the two roots of the norm. */
function squareRootInFp2([a, b]: Fp2, hint: boolean): Fp2 {
  const norm = squareRoot(a ** 2n + b ** 2n)
  const real = squareRoot((a + (hint ? -norm : norm)) * modularInverse(2n, p))
  return [real, modulo(b * modularInverse(2n * real, p), p)]
}

/** Computes a square root with a single power, since p is 3 modulo 4. If n has no square root, returns a root of -n. */
function squareRoot(n: bigint): bigint {
  return modularPower(n, (p + 1n) / 4n, p)
}
