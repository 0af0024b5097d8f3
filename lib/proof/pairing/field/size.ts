import { p } from '../../field.ts'
import { BASE, itemAt, LIMBS } from './limbs.ts'

/**
 * How large an element can be. Whether a step is exact depends on nothing else: the generator computes the sizes of
 * all elements and stops if a step could be inexact for any input. All are exact integers, so no bound is rounded.
 */
export type Size = {
  /** No limb has a larger magnitude, except that nothing is said of the last. */
  limb: bigint
  /** The number that the limbs stand for has no larger magnitude. */
  value: bigint
}

/** A limb as it is after a reduction. Sizes of limbs are multiples of it. */
export const UNIT = BASE / 2n

/**
 * The size of every element between two functions. The number is p/2 and a little more, which says that only 0 stands
 * for the zero of the field.
 */
export const REDUCED: Size = { limb: UNIT, value: p / 2n + p / 2n ** 13n }

/** What the last limb is worth. */
export const LAST = BASE ** BigInt(LIMBS - 1)

/** What all limbs but the last add to the number at most. */
export function lowerPart(limb: bigint): bigint {
  return limb * SUM_OF_LOWER
}

const SUM_OF_LOWER = (LAST - 1n) / (BASE - 1n)

/** The largest magnitude of each limb. The last is what is left of the number when the others are taken off. */
export function limbSizes({ limb, value }: Size): bigint[] {
  const last = (value + lowerPart(limb)) / LAST
  return [...Array.from({ length: LIMBS - 1 }, () => limb), last]
}

/** The magnitude of the largest limb. */
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

/**
 * Stops the generator where a step might not be exact.
 *
 * @throws RangeError
 */
export function requireAtMost(size: bigint, limit: bigint, what: string): void {
  if (size > limit) throw new RangeError(`${what}: ${size} may exceed ${limit}.`)
}
