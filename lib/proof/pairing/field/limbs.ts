import { modularInverse, modularPower, modulo, p } from '../../field.ts'

/**
 * An element of the field is held as five limbs: digits to the base 2^51, which may be negative. Each is an integer in
 * a float of 64 bits, which holds integers up to 2^53 exactly.
 */
export const LIMBS = 5

/** An element in memory: two lanes of five limbs. */
export const ELEMENT_BYTES = 16 * LIMBS

/** The bits of a limb's base. */
export const LIMB_BITS = 51n

/** The base of the limbs. */
export const BASE = 1n << LIMB_BITS

/**
 * Montgomery's R: the element n is held as the limbs of n·R modulo p.
 *
 * @see Peter Montgomery, Modular multiplication without trial division, 1985
 */
export const R = BASE ** BigInt(LIMBS)

const INVERSE_OF_R = modularInverse(R, p)

/** The limbs of a number: all but the last are balanced, which is from −2^50 to 2^50 − 1. */
export function toLimbs(n: bigint): number[] {
  const limbs: number[] = []
  let rest = n
  for (let i = 1; i < LIMBS; i++) {
    const digit = BigInt.asIntN(Number(LIMB_BITS), rest)
    limbs.push(Number(digit))
    rest = (rest - digit) >> LIMB_BITS
  }
  return [...limbs, Number(rest)]
}

/** The number that limbs stand for, whatever their size. */
export function fromLimbs(limbs: readonly number[]): bigint {
  return limbs.reduceRight((sum, limb) => sum * BASE + BigInt(limb), 0n)
}

/** An element of the field as it is computed with: the limbs of the representative of n·R next to zero. */
export function toMontgomery(n: bigint): number[] {
  const product = modulo(n * R, p)
  return toLimbs(product > p / 2n ? product - p : product)
}

/** The element of the field, `0 <= n < p`. */
export function fromMontgomery(limbs: readonly number[]): bigint {
  return modulo(fromLimbs(limbs) * INVERSE_OF_R, p)
}

/** −1 ÷ n modulo the base, next to zero; n must be odd. */
export function negativeInverse(n: bigint): bigint {
  // The odd numbers modulo 2^51 are a group, in which every element to the power of 2^49 is 1.
  const inverse = modularPower(BASE - modulo(n, BASE), (1n << (LIMB_BITS - 2n)) - 1n, BASE)
  return BigInt.asIntN(Number(LIMB_BITS), inverse)
}

/** @throws RangeError if there is none: a mistake of the program */
export function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index]
  if (item === undefined) throw new RangeError(`There is no item ${index}.`)
  return item
}
