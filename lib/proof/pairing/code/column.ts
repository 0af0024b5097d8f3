import { BASE, LIMB_BITS } from '../field/limbs.ts'
import { requireAtMost, UNIT } from '../field/size.ts'
import { type FunctionCode, holdConstant, holdFloat, holdValue } from '../wasm/function-code.ts'
import { type Code, f64x2, i64x2, v128 } from '../wasm/instructions.ts'

/**
 * A sum of integers in each lane. The actual sum is `sum` minus `offset`, modulo 2^64. The wrap-around is harmless,
 * since `size`, the largest magnitude of the actual sum, stays below 2^63.
 */
export type Column = { sum: Code; offset: bigint; size: bigint }

/** Adds a term to a column. */
export function addToColumn(code: FunctionCode, column: Column | undefined, term: Column): Column {
  if (column === undefined) return { ...term, sum: holdValue(code, term.sum) }
  return {
    sum: holdValue(code, i64x2.add(column.sum, term.sum)),
    offset: column.offset + term.offset,
    size: column.size + term.size,
  }
}

/** A digit to the base 2^51 as a float, and the carry into the next column. */
export type Split = { digit: Code; carry: Column }

/** Splits off the lowest digit, from −2^50 to 2^50 − 1. */
export function splitBalanced(code: FunctionCode, column: Column): Split {
  return split(code, column, UNIT)
}

/** Splits off the lowest digit, from 0 to 2^51 − 1. */
export function splitUnsigned(code: FunctionCode, column: Column): Split {
  return split(code, column, 0n)
}

/**
 * Splits off the lowest digit, which is at least −`shift`. Adds 2^63, a multiple of the base, and `shift`, which makes
 * the sum positive. The lowest 51 bits, put into the bits of the float 2^52, then form the float 2^52 + digit +
 * `shift`.
 */
function split(code: FunctionCode, { sum, offset, size }: Column, shift: bigint): Split {
  requireAtMost(size + shift, 2n ** 63n - 1n, 'a column')
  const start = holdConstant(code, BigInt.asUintN(64, 2n ** 63n + shift - offset))
  const positive = holdValue(code, i64x2.add(sum, start))
  const digits = v128.and(positive, holdConstant(code, BASE - 1n))
  const float = v128.or(digits, holdFloat(code, 2 ** 52))
  return {
    digit: f64x2.subtract(float, holdFloat(code, 2 ** 52 + Number(shift))),
    carry: {
      sum: i64x2.shiftRight(positive, Number(LIMB_BITS)),
      offset: 2n ** 63n / BASE,
      size: (size + shift) / BASE + 1n,
    },
  }
}

/** Returns the actual sum plus a number, modulo 2^64. */
export function shiftedSum(code: FunctionCode, { sum, offset, size }: Column, by: bigint): Code {
  requireAtMost(size, 2n ** 63n - 1n, 'a column')
  return i64x2.add(sum, holdConstant(code, BigInt.asUintN(64, by - offset)))
}
