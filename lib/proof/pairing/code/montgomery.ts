import { p } from '../../field.ts'
import { BASE, itemAt, LIMBS, negativeInverse, R, toLimbs } from '../field/limbs.ts'
import { lowerPart, requireAtMost, UNIT } from '../field/size.ts'
import { type FunctionCode, holdFloat, holdValue } from '../wasm/function-code.ts'
import type { Code } from '../wasm/instructions.ts'
import { addToColumn, type Column, splitBalanced, splitUnsigned } from './column.ts'
import {
  createExactProduct,
  HIGH_BITS,
  highSize,
  LARGEST_PRODUCT,
  LOW_BITS,
  lowAsFloat,
} from './exact-product.ts'

/** The limbs of two factors in each lane. No product of a limb of `a` and a limb of `b` exceeds 2^102. */
export type LimbProduct = { a: readonly Code[]; b: readonly Code[] }

/** A number as five columns, lowest first, and its largest magnitude. */
export type Columns = { columns: readonly Column[]; value: bigint }

/** (MULTIPLE + 1) / BASE */
const NEXT = (p * negativeInverse(p) + 1n) / BASE

/** A multiple of p that is −1 modulo the base. */
const MULTIPLE = NEXT * BASE - 1n

/**
 * Computes a sum of products, divided by R modulo p, in each lane.
 *
 * Adds the products row by row into ten columns. When a column is complete, adds a multiple of p that makes it zero
 * (interleaved Montgomery reduction). For the first four columns, the multiple is `digit · MULTIPLE`. MULTIPLE is −1
 * modulo the base, so the digit itself is the quotient, without a multiplication. Adding the multiple then means adding
 * `digit · NEXT` to the next column. For the last column, the quotient is computed from p, so that the result grows by
 * at most p/2.
 *
 * @param largest the sum's largest magnitude
 */
export function sumOfProducts(
  code: FunctionCode,
  products: readonly LimbProduct[],
  largest: bigint,
): Columns {
  const columns: Column[] = []
  for (let i = 0; i <= LIMBS; i++) {
    // Column i − 1 is cleared only after row i is added, so that the row does not wait for it.
    if (i < LIMBS) for (const { a, b } of products) addInputRow(code, columns, i, { a, b })
    if (i > 0) clearColumn(code, columns, i - 1)
  }
  const multiples = UNIT * BASE ** BigInt(LIMBS - 1) * p + lowerPart(UNIT) * abs(MULTIPLE)
  return { columns: columns.slice(LIMBS), value: (largest + multiples) / R + 1n }
}

function addInputRow(code: FunctionCode, columns: Column[], i: number, { a, b }: LimbProduct) {
  const limbs = b.map((limb) => ({ limb, size: LARGEST_PRODUCT }))
  addRow(code, columns, i, { factor: holdValue(code, itemAt(a, i)), limbs })
}

type Row = { factor: Code; limbs: readonly { limb: Code; size: bigint }[] }

/** Adds the product of a limb and a number, from column `at` on. */
function addRow(code: FunctionCode, columns: Column[], at: number, { factor, limbs }: Row) {
  limbs.forEach(({ limb, size }, j) => {
    requireAtMost(size, LARGEST_PRODUCT, 'a product of limbs')
    const { high, low } = createExactProduct(code, factor, limb)
    addTerm(code, columns, at + j, { sum: low, offset: LOW_BITS, size: UNIT })
    addTerm(code, columns, at + j + 1, { sum: high, offset: HIGH_BITS, size: highSize(size) })
  })
}

function addTerm(code: FunctionCode, columns: Column[], at: number, term: Column) {
  columns[at] = addToColumn(code, columns[at], term)
}

/** Makes a column zero by adding a multiple of p, and carries its value into the next column. */
function clearColumn(code: FunctionCode, columns: Column[], at: number) {
  if (at < LIMBS - 1) {
    const { digit, carry } = splitBalanced(code, itemAt(columns, at))
    const quotient = holdValue(code, digit)
    addTerm(code, columns, at + 1, carry)
    addRow(code, columns, at + 1, { factor: quotient, limbs: constantLimbs(code, NEXT, UNIT) })
  } else {
    const { digit } = splitUnsigned(code, itemAt(columns, at))
    const quotient = lastQuotient(code, holdValue(code, digit))
    addRow(code, columns, at, { factor: quotient, limbs: constantLimbs(code, p, UNIT) })
    // The column is now a multiple of the base: its digit is 0.
    addTerm(code, columns, at + 1, splitUnsigned(code, itemAt(columns, at)).carry)
  }
}

/** Computes the balanced q with digit + q·p ≡ 0 modulo the base: the lower half of digit · (−1/p). */
function lastQuotient(code: FunctionCode, digit: Code): Code {
  const inverse = holdFloat(code, Number(negativeInverse(p)))
  requireAtMost(BASE * UNIT, LARGEST_PRODUCT, 'the last quotient')
  return holdValue(code, lowAsFloat(code, createExactProduct(code, digit, inverse).low))
}

/** Returns the limbs of a constant, and the largest magnitude of each limb's product with a number up to `factor`. */
function constantLimbs(code: FunctionCode, n: bigint, factor: bigint) {
  return toLimbs(n).map((limb) => ({
    limb: holdFloat(code, limb),
    size: factor * abs(BigInt(limb)),
  }))
}

function abs(n: bigint): bigint {
  return n < 0n ? -n : n
}
