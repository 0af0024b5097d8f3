import { modularInverse, modularPower, modulo, p } from '../../field.ts'

/**
 * The number of limbs of a field element. Limbs are digits to the base 2^51 and may be negative. Each is an integer in a
 * 64-bit float, which holds integers up to 2^53 exactly.
 */
export const LIMBS = 5

/** The size of an element in memory: two lanes of five limbs. */
export const ELEMENT_BYTES = 16 * LIMBS

export const LIMB_BITS = 51n

export const BASE = 1n << LIMB_BITS

/**
 * Montgomery's R: the element n is stored as the limbs of n·R modulo p.
 *
 * @see Peter Montgomery, Modular multiplication without trial division, 1985
 */
export const R = BASE ** BigInt(LIMBS)

const INVERSE_OF_R = modularInverse(R, p)

/** Converts a number to limbs. All except the last are balanced: from −2^50 to 2^50 − 1. */
export function toLimbs(n: bigint): number[] {
  const limbs: number[] = []
  let remainder = n
  for (let i = 1; i < LIMBS; i++) {
    const digit = BigInt.asIntN(Number(LIMB_BITS), remainder)
    limbs.push(Number(digit))
    remainder = (remainder - digit) >> LIMB_BITS
  }
  return [...limbs, Number(remainder)]
}

/** Converts limbs of any size to a number. */
export function fromLimbs(limbs: readonly number[]): bigint {
  return limbs.reduceRight((sum, limb) => sum * BASE + BigInt(limb), 0n)
}

/** Converts an element to Montgomery form: the limbs of the representative of n·R that is nearest to zero. */
export function toMontgomery(n: bigint): number[] {
  const product = modulo(n * R, p)
  return toLimbs(product > p / 2n ? product - p : product)
}

/** Converts limbs in Montgomery form to the element, `0 <= n < p`. */
export function fromMontgomery(limbs: readonly number[]): bigint {
  return modulo(fromLimbs(limbs) * INVERSE_OF_R, p)
}

/** Computes −1/n modulo the base, as the representative nearest to zero; n must be odd. */
export function negativeInverse(n: bigint): bigint {
  // The odd numbers modulo 2^51 are a group, where the power 2^49 of every element is 1.
  const inverse = modularPower(BASE - modulo(n, BASE), (1n << (LIMB_BITS - 2n)) - 1n, BASE)
  return BigInt.asIntN(Number(LIMB_BITS), inverse)
}

/** @throws RangeError if the index is out of range: a bug in our code */
export function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index]
  if (item === undefined) throw new RangeError(`Index ${index} must be below ${items.length}.`)
  return item
}
