import { type Fp2, type G1, type G2, invert, mod, p, power } from './field.ts'

/**
 * Decompresses the four words of a compressed proof, `[a, b0, b1, c]`.
 *
 * `a` and `c` are `x << 1 | sign`, `b0` is the imaginary part of B.x and `b1` is
 * `real part << 2 | hint << 1 | sign`, as in the deployed verifier contracts.
 *
 * An x that belongs to no point gets a y that is off the curve; the verifier finds that out.
 */
export function decompress([a, b0, b1, c]: readonly [bigint, bigint, bigint, bigint]) {
  return { a: pointOfCurve(a), b: pointOfTwist(b0, b1), c: pointOfCurve(c) }
}

function pointOfCurve(word: bigint): G1 {
  const x = word >> 1n
  const y = squareRoot(x ** 3n + 3n)
  return [x, word & 1n ? mod(-y, p) : y]
}

function pointOfTwist(imaginary: bigint, word: bigint): G2 {
  const x: Fp2 = [word >> 2n, imaginary]
  const [real, other] = squareRootOfPair(twist(x), (word & 2n) !== 0n)
  return [x, word & 1n ? [mod(-real, p), mod(-other, p)] : [real, other]]
}

/** The twist's equation: x³ + 3 / (9 + i). */
function twist([a, b]: Fp2): Fp2 {
  const eightySecond = invert(82n, p)
  const real = a ** 3n - 3n * a * b ** 2n + 27n * eightySecond
  const imaginary = 3n * a ** 2n * b - b ** 3n - 3n * eightySecond
  return [mod(real, p), mod(imaginary, p)]
}

/** The complex method: the hint says which of the norm's two roots leads to the square root. */
function squareRootOfPair([a, b]: Fp2, hint: boolean): Fp2 {
  const norm = squareRoot(a ** 2n + b ** 2n)
  const real = squareRoot((a + (hint ? -norm : norm)) * invert(2n, p))
  return [real, mod(b * invert(2n * real, p), p)]
}

/** p is 3 modulo 4, so one power is enough; where n has no root, the result is one of -n. */
function squareRoot(n: bigint): bigint {
  return power(n, (p + 1n) / 4n, p)
}
