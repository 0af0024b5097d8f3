import { p } from '../../field.ts'
import { BASE, itemAt, LIMBS, toLimbs } from '../field/limbs.ts'
import { LAST, limbSizes, lowerPart, requireAtMost, type Size, UNIT } from '../field/size.ts'
import { type FunctionCode, holdFloat, holdValue } from '../wasm/function-code.ts'
import { type Code, f64x2 } from '../wasm/instructions.ts'
import { addToColumn, type Column, shiftedSum, splitBalanced } from './column.ts'
import {
  LARGEST_ADDED,
  LOW,
  LOW_BITS,
  lowAsFloat,
  roundedProduct,
  roundedToBase,
} from './exact-product.ts'
import type { Columns } from './montgomery.ts'

/** Two elements of the field, or one of Fp2, in locals: limbs that are integers in floats, the lowest first. */
export type Element = { limbs: readonly Code[]; size: Size }

/** Integers up to this magnitude are exact in a float. */
export const LARGEST_INTEGER = 2n ** 53n

/** How many times p goes into the last limb, for each of its units; the float next to it. */
const PER_LAST = Number(LAST) / Number(p)

/** The same, exactly, as a multiple of 2^−102. */
const PER_LAST_EXACT = BigInt(PER_LAST * 2 ** 102)

const LIMBS_OF_P = toLimbs(p)

/**
 * Takes from a number the multiple of p next to it, which is found from its last limb alone, and makes its limbs
 * balanced.
 */
export function reduceColumns(code: FunctionCode, { columns, value }: Columns): Element {
  const lower = columns.slice(0, -1).reduceRight((sum, { size }) => sum * BASE + size, 0n)
  const last = (value + lower) / LAST
  requireAtMost(last, LARGEST_ADDED, 'the last column')
  const lastLimb = lowAsFloat(code, shiftedSum(code, itemAt(columns, LIMBS - 1), LOW_BITS))
  const quotient = holdValue(code, nextMultiple(code, lastLimb))
  const rest = columns.map((column, i) => {
    const size = multipleSize(last, i)
    requireAtMost(size, LARGEST_ADDED, 'a limb of the multiple')
    const sum = f64x2.multiplySubtract(quotient, limbOfP(code, i), holdFloat(code, LOW))
    return addToColumn(code, column, { sum, offset: LOW_BITS, size })
  })
  return balanced(code, rest, remainderSize(last, lower))
}

/** The number's limbs: a carry goes from each column into the next. */
function balanced(code: FunctionCode, columns: readonly Column[], value: bigint): Element {
  const size = { limb: UNIT, value }
  let carry: Column | undefined
  const limbs = columns.map((column, i) => {
    const whole = carry ? addToColumn(code, column, carry) : column
    if (i === LIMBS - 1) {
      requireAtMost(itemAt(limbSizes(size), i), LARGEST_ADDED, 'the last limb')
      return holdValue(code, lowAsFloat(code, shiftedSum(code, whole, LOW_BITS)))
    }
    const split = splitBalanced(code, whole)
    carry = split.carry
    return holdValue(code, split.digit)
  })
  return { limbs, size }
}

/** The same for an element whose limbs have grown by additions; they stay floats. */
export function reduceElement(code: FunctionCode, { limbs, size }: Element): Element {
  const sizes = limbSizes(size)
  const last = itemAt(sizes, LIMBS - 1)
  const quotient = holdValue(code, nextMultiple(code, itemAt(limbs, LIMBS - 1)))
  let carry: { digits: Code; size: bigint } | undefined
  const reduced = limbs.map((limb, i) => {
    const before = itemAt(sizes, i) + multipleSize(last, i) + (carry?.size ?? 0n)
    requireAtMost(before, LARGEST_INTEGER, 'a limb before its carry')
    const own = f64x2.multiplySubtract(quotient, limbOfP(code, i), limb)
    const whole = holdValue(code, carry ? addCarry(code, own, carry.digits) : own)
    if (i === LIMBS - 1) return whole
    const digits = holdValue(code, roundedToBase(code, whole))
    carry = { digits, size: before / BASE + 1n }
    return holdValue(code, f64x2.subtract(whole, digits))
  })
  return { limbs: reduced, size: { limb: UNIT, value: remainderSize(last, lowerPart(size.limb)) } }
}

/** Adds what is above the digit of the limb below. */
function addCarry(code: FunctionCode, limb: Code, digits: Code): Code {
  return f64x2.multiplyAdd(digits, holdFloat(code, 2 ** -51), limb)
}

/** The integer next to n/p, as far as the last limb of n tells. */
function nextMultiple(code: FunctionCode, lastLimb: Code): Code {
  return roundedProduct(code, lastLimb, holdFloat(code, PER_LAST))
}

/** The magnitude of a limb of the multiple of p that is taken off. */
function multipleSize(last: bigint, i: number): bigint {
  const quotient = (2n * last * PER_LAST_EXACT + 2n ** 102n) / 2n ** 103n
  return quotient * BigInt(Math.abs(itemAt(LIMBS_OF_P, i)))
}

/**
 * What can be left when k·p is taken from n = last·LAST + lower, where k is the integer next to last·PER_LAST: half of
 * p, and by how much last·PER_LAST·p differs from n.
 */
function remainderSize(last: bigint, lower: bigint): bigint {
  const error = LAST * 2n ** 102n - PER_LAST_EXACT * p
  const magnitude = error < 0n ? -error : error
  return p / 2n + (last * magnitude) / 2n ** 102n + lower + 2n
}

function limbOfP(code: FunctionCode, i: number): Code {
  return holdFloat(code, itemAt(LIMBS_OF_P, i))
}
