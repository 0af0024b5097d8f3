import { p } from '../../field.ts'
import { BASE, itemAt, LIMBS, toLimbs } from '../field/limbs.ts'
import { LAST, limbSizes, lowerPart, requireAtMost, type Size, UNIT } from '../field/size.ts'
import { type FunctionCode, holdFloat, holdValue } from '../wasm/function-code.ts'
import { type Code, f64x2 } from '../wasm/instructions.ts'
import { addToColumn, type Column, shiftedSum, splitBalanced } from './column.ts'
import {
  LARGEST_ADDEND,
  LOW,
  LOW_BITS,
  lowAsFloat,
  roundedProduct,
  roundedToBase,
} from './exact-product.ts'
import type { Columns } from './montgomery.ts'

/** Two elements of Fp, or an element of Fp2, in locals. The limbs are integers in floats, lowest first. */
export type Element = { limbs: readonly Code[]; size: Size }

/** Integers up to this magnitude are exact in a float. */
export const LARGEST_INTEGER = 2n ** 53n

/** LAST / p as a float. Multiplied by the last limb of n, it is an estimate of n/p. */
const PER_LAST = Number(LAST) / Number(p)

/** The exact value of PER_LAST, as a multiple of 2^−102. */
const PER_LAST_EXACT = BigInt(PER_LAST * 2 ** 102)

const LIMBS_OF_P = toLimbs(p)

/** Subtracts the nearest multiple of p, which is estimated from the last limb, and balances the limbs. */
export function reduceColumns(code: FunctionCode, { columns, value }: Columns): Element {
  const lower = columns.slice(0, -1).reduceRight((sum, { size }) => sum * BASE + size, 0n)
  const last = (value + lower) / LAST
  requireAtMost(last, LARGEST_ADDEND, 'the last column')
  const lastLimb = lowAsFloat(code, shiftedSum(code, itemAt(columns, LIMBS - 1), LOW_BITS))
  const quotient = holdValue(code, nextMultiple(code, lastLimb))
  const remainder = columns.map((column, i) => {
    const size = multipleSize(last, i)
    requireAtMost(size, LARGEST_ADDEND, 'a limb of the multiple')
    const sum = f64x2.multiplySubtract(quotient, limbOfP(code, i), holdFloat(code, LOW))
    return addToColumn(code, column, { sum, offset: LOW_BITS, size })
  })
  return balanced(code, remainder, remainderSize(last, lower))
}

/** Converts columns to limbs, with a carry from each column into the next. */
function balanced(code: FunctionCode, columns: readonly Column[], value: bigint): Element {
  const size = { limb: UNIT, value }
  let carry: Column | undefined
  const limbs = columns.map((column, i) => {
    const whole = carry ? addToColumn(code, column, carry) : column
    if (i === LIMBS - 1) {
      requireAtMost(itemAt(limbSizes(size), i), LARGEST_ADDEND, 'the last limb')
      return holdValue(code, lowAsFloat(code, shiftedSum(code, whole, LOW_BITS)))
    }
    const split = splitBalanced(code, whole)
    carry = split.carry
    return holdValue(code, split.digit)
  })
  return { limbs, size }
}

/**
 * Reduces an element after additions have grown its limbs. Subtracts the nearest multiple of p, and balances the limbs.
 * Computes only with floats.
 */
export function reduceElement(code: FunctionCode, { limbs, size }: Element): Element {
  const sizes = limbSizes(size)
  const last = itemAt(sizes, LIMBS - 1)
  const quotient = holdValue(code, nextMultiple(code, itemAt(limbs, LIMBS - 1)))
  let carry: { digits: Code; size: bigint } | undefined
  const reduced = limbs.map((limb, i) => {
    const before = itemAt(sizes, i) + multipleSize(last, i) + (carry?.size ?? 0n)
    requireAtMost(before, LARGEST_INTEGER, 'a limb before its carry')
    const difference = f64x2.multiplySubtract(quotient, limbOfP(code, i), limb)
    const whole = holdValue(code, carry ? addCarry(code, difference, carry.digits) : difference)
    if (i === LIMBS - 1) return whole
    const digits = holdValue(code, roundedToBase(code, whole))
    carry = { digits, size: before / BASE + 1n }
    return holdValue(code, f64x2.subtract(whole, digits))
  })
  return { limbs: reduced, size: { limb: UNIT, value: remainderSize(last, lowerPart(size.limb)) } }
}

/** Adds the carry of the limb below. */
function addCarry(code: FunctionCode, limb: Code, digits: Code): Code {
  return f64x2.multiplyAdd(digits, holdFloat(code, 2 ** -51), limb)
}

/** Estimates the integer nearest to n/p from the last limb of n. */
function nextMultiple(code: FunctionCode, lastLimb: Code): Code {
  return roundedProduct(code, lastLimb, holdFloat(code, PER_LAST))
}

/** Returns the largest magnitude of a limb of the subtracted multiple of p. */
function multipleSize(last: bigint, i: number): bigint {
  const quotient = (2n * last * PER_LAST_EXACT + 2n ** 102n) / 2n ** 103n
  return quotient * BigInt(Math.abs(itemAt(LIMBS_OF_P, i)))
}

/**
 * Returns the largest magnitude of n − k·p, for n = last·LAST + lower and the integer k nearest to last·PER_LAST: half
 * of p plus the difference between last·PER_LAST·p and n.
 */
function remainderSize(last: bigint, lower: bigint): bigint {
  const error = LAST * 2n ** 102n - PER_LAST_EXACT * p
  const magnitude = error < 0n ? -error : error
  return p / 2n + (last * magnitude) / 2n ** 102n + lower + 2n
}

function limbOfP(code: FunctionCode, i: number): Code {
  return holdFloat(code, itemAt(LIMBS_OF_P, i))
}
