import {
  type Fp2,
  type G2,
  modularInverse,
  modularPower,
  modulo,
  p,
  r,
} from '../../../lib/proof/field.ts'
import { TWIST_B } from '../../../lib/proof/pairing/field/curve-constants.ts'
import { inverseFp2, multiplyFp2 } from '../../../lib/proof/pairing/field/fp2.ts'
import type { RandomNumbers } from './random-numbers.ts'

/** The known prime factors of the twist's cofactor 2p − r. */
export const SMALL_ORDERS = [10_069n, 5_864_401n, 1_875_725_156_269n]

/** The order of the twist: the order of its subgroup times the cofactor. */
export const TWIST_ORDER = r * (2n * p - r)

/** Finds a random point of y² = x³ + b, by default of the twist. It is nearly always outside the subgroup. */
export function randomTwistPoint({ wide }: RandomNumbers, b: Fp2 = TWIST_B): G2 {
  for (;;) {
    const x: Fp2 = [modulo(wide(), p), modulo(wide(), p)]
    const cube = multiplyFp2(multiplyFp2(x, x), x)
    const y = squareRoot([modulo(cube[0] + b[0], p), modulo(cube[1] + b[1], p)])
    if (y) return [x, y]
  }
}

/** Finds a point of this order, or of an order that divides it; never zero. */
export function findPointOfOrder(numbers: RandomNumbers, order: bigint): G2 {
  for (;;) {
    const point = multiplyTwistPoint(randomTwistPoint(numbers), TWIST_ORDER / order)
    if (point) return point
  }
}

/** Computes k times any point of the twist; null if it is zero. */
function multiplyTwistPoint(point: G2 | null, k: bigint): G2 | null {
  let sum: G2 | null = null
  let double = point
  for (let bits = k; bits > 0n; bits >>= 1n) {
    if (bits & 1n) sum = addTwistPoints(sum, double)
    double = addTwistPoints(double, double)
  }
  return sum
}

export function addTwistPoints(a: G2 | null, b: G2 | null): G2 | null {
  if (a === null || b === null) return a ?? b
  const [[ax, ay], [bx, by]] = [a, b]
  const slope = isSame(ax, bx) ? tangent(ax, ay, by) : divide(subtract(by, ay), subtract(bx, ax))
  if (slope === null) return null
  const x = subtract(subtract(multiplyFp2(slope, slope), ax), bx)
  return [x, subtract(multiplyFp2(slope, subtract(ax, x)), ay)]
}

function tangent(x: Fp2, y: Fp2, otherY: Fp2): Fp2 | null {
  if (!isSame(y, otherY)) return null
  return divide(multiplyFp2([3n, 0n], multiplyFp2(x, x)), multiplyFp2([2n, 0n], y))
}

function squareRoot([a, b]: Fp2): Fp2 | null {
  const norm = rootInFp(a * a + b * b)
  if (norm === null) return null
  for (const root of [norm, -norm]) {
    const half = rootInFp((a + root) * modularInverse(2n, p))
    if (half === null || half === 0n) continue
    const candidate: Fp2 = [half, modulo(b * modularInverse(2n * half, p), p)]
    if (isSame(multiplyFp2(candidate, candidate), [modulo(a, p), modulo(b, p)])) return candidate
  }
  return null
}

function rootInFp(n: bigint): bigint | null {
  const root = modularPower(n, (p + 1n) / 4n, p)
  return (root * root - n) % p === 0n ? root : null
}

function divide(a: Fp2, b: Fp2): Fp2 {
  return multiplyFp2(a, inverseFp2(b))
}

function subtract([a, b]: Fp2, [c, d]: Fp2): Fp2 {
  return [modulo(a - c, p), modulo(b - d, p)]
}

function isSame([a, b]: Fp2, [c, d]: Fp2): boolean {
  return a === c && b === d
}
