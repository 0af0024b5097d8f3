import { p } from '../../field.ts'
import { BASE, itemAt, LIMBS } from './limbs.ts'

/**
 * The largest size that an element can have. The sizes of the operands decide whether a step is exact. So the generator
 * computes the sizes of all elements, and throws if a step could be inexact for any input. Sizes are exact integers, so
 * no bound is rounded.
 */
export type Size = {
  /** The largest magnitude of every limb except the last. */
  limb: bigint
  /** The largest magnitude of the whole number. */
  value: bigint
}

/** The largest magnitude of a limb after a reduction. */
export const UNIT = BASE / 2n

/** The size of every argument and result of a function. The value is a little above p/2, so only 0 represents zero. */
export const REDUCED: Size = { limb: UNIT, value: p / 2n + p / 2n ** 13n }

/** The place value of the last limb. */
export const LAST = BASE ** BigInt(LIMBS - 1)

/** Returns the largest magnitude of the number that all limbs except the last form. */
export function lowerPart(limb: bigint): bigint {
  return limb * SUM_OF_LOWER
}

const SUM_OF_LOWER = (LAST - 1n) / (BASE - 1n)

/** Returns the largest magnitude of each limb. The bound of the last limb follows from the whole number. */
export function limbSizes({ limb, value }: Size): bigint[] {
  const last = (value + lowerPart(limb)) / LAST
  return [...Array.from({ length: LIMBS - 1 }, () => limb), last]
}

/** Returns the largest magnitude of any limb. */
export function largestLimb(size: Size): bigint {
  const last = itemAt(limbSizes(size), LIMBS - 1)
  if (last > size.limb) return last
  return size.limb
}

export function addSizes(a: Size, b: Size): Size {
  return { limb: a.limb + b.limb, value: a.value + b.value }
}

export function scaleSize({ limb, value }: Size, factor: bigint): Size {
  return { limb: limb * factor, value: value * factor }
}

/** @throws RangeError if a step could be inexact */
export function requireAtMost(size: bigint, limit: bigint, name: string): void {
  if (size > limit) throw new RangeError(`${name}: ${size} may exceed ${limit}.`)
}
