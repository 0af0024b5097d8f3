/** The modulus of the base field of BN254 (alt_bn128). Coordinates of points are below it. */
export const p = 21888242871839275222246405745257275088696311157297823662689037894645226208583n

/** The modulus of the scalar field of BN254. Public signals, roots and nullifiers are below it. */
export const r = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

/** An element of the quadratic extension field; in encodings the imaginary part often comes first. */
export type Fp2 = readonly [real: bigint, imaginary: bigint]

/** A point of the curve in affine coordinates. */
export type G1 = readonly [x: bigint, y: bigint]

/** A point of the twist in affine coordinates. */
export type G2 = readonly [x: Fp2, y: Fp2]

/** Returns the remainder in `0 <= n < modulus`, also for negative numbers. */
export function modulo(n: bigint, modulus: bigint): bigint {
  const remainder = n % modulus
  return remainder < 0n ? remainder + modulus : remainder
}

/** Computes `base` to the power of `exponent`, by squaring. */
export function modularPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = modulo(base, modulus)
  for (let bits = exponent; bits > 0n; bits >>= 1n) {
    if (bits & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

/** Computes the multiplicative inverse modulo a prime. Returns 0 for 0. */
export function modularInverse(n: bigint, prime: bigint): bigint {
  return modularPower(n, prime - 2n, prime)
}
