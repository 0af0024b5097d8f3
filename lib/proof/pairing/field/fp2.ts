import { type Fp2, modularInverse, modulo, p } from '../../field.ts'

/** ξ = 9 + u, neither a square nor a cube in Fp2. Fp12 is Fp2[w] with w⁶ = ξ. */
export const XI: Fp2 = [9n, 1n]

/** Multiplies in Fp2 = Fp[u], u² = −1, with integers. This is only for constants: WebAssembly verifies the proofs. */
export function multiplyFp2([a, b]: Fp2, [c, d]: Fp2): Fp2 {
  return [modulo(a * c - b * d, p), modulo(a * d + b * c, p)]
}

/** Returns the conjugate, which is also a^p. */
export function conjugateFp2([a, b]: Fp2): Fp2 {
  return [a, modulo(-b, p)]
}

export function powerFp2(base: Fp2, exponent: bigint): Fp2 {
  let result: Fp2 = [1n, 0n]
  let square = base
  for (let bits = exponent; bits > 0n; bits >>= 1n) {
    if (bits & 1n) result = multiplyFp2(result, square)
    square = multiplyFp2(square, square)
  }
  return result
}

export function inverseFp2([a, b]: Fp2): Fp2 {
  const inverse = modularInverse(a * a + b * b, p)
  return [modulo(a * inverse, p), modulo(-b * inverse, p)]
}
