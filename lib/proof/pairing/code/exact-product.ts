import { bitsOfFloat, type FunctionCode, holdFloat, holdValue } from '../wasm/function-code.ts'
import { type Code, f64x2 } from '../wasm/instructions.ts'

/** Adding this to a float of magnitude up to 2^102 rounds to a multiple of 2^51, because the sum's last bit is 2^51. */
const HIGH = 1.5 * 2 ** 103

/** Adding this to a float of magnitude up to 2^51 rounds to an integer, because the sum's last bit has the value 1. */
export const LOW = 1.5 * 2 ** 52

/** The largest magnitude of an exact product. */
export const LARGEST_PRODUCT = 2n ** 102n

/** The largest magnitude of a number that may be added to `LOW`. */
export const LARGEST_ADDEND = 2n ** 51n

/**
 * Computes the exact product of two integers as `high·2^51 + low`, where the magnitude of low is at most 2^50.
 *
 * A multiply-add rounds once. The first multiply-add adds the product to `HIGH`. Since |product| ≤ 2^102, the sum is
 * between 2^103 and 2^104, so the product is rounded to the nearest multiple of 2^51, which is high·2^51.
 *
 * The rounding error is at most 2^50. The second multiply-add computes it: product − high·2^51 + LOW is an integer
 * between 2^52 and 2^53, so it is not rounded. `HIGH + LOW − sum` is not rounded either, since all three are multiples
 * of 2^51 below 2^53·2^51.
 *
 * Between two powers of two, equal steps of a float are equal steps of its bits. So the bits of the two sums, read as
 * integers, are high plus the bits of `HIGH`, and low plus the bits of `LOW`. These integers can be added up.
 *
 * @see Niall Emmart, Fangyu Zheng, Charles Weems: Faster modular exponentiation using double precision floating point
 *   arithmetic on the GPU, ARITH 2018
 */
export function createExactProduct(
  code: FunctionCode,
  a: Code,
  b: Code,
): { high: Code; low: Code } {
  const high = holdValue(code, f64x2.multiplyAdd(a, b, holdFloat(code, HIGH)))
  const addend = f64x2.subtract(holdFloat(code, HIGH + LOW), high)
  return { high, low: f64x2.multiplyAdd(a, b, addend) }
}

/** The bits of `HIGH` and `LOW` as integers. The bits of a product's halves exceed the halves by these offsets. */
export const [HIGH_BITS, LOW_BITS] = [bitsOfFloat(HIGH), bitsOfFloat(LOW)]

/** Returns the largest magnitude of high, for a product of this magnitude. */
export function highSize(product: bigint): bigint {
  return (product + 2n ** 50n) / 2n ** 51n
}

/** Converts the bits of a float near `LOW` to an integer, as a float. */
export function lowAsFloat(code: FunctionCode, bits: Code): Code {
  return f64x2.subtract(bits, holdFloat(code, LOW))
}

/** Returns the integer nearest to a·b, as a float: adding to `LOW` rounds to an integer. */
export function roundedProduct(code: FunctionCode, a: Code, b: Code): Code {
  const low = holdFloat(code, LOW)
  return f64x2.subtract(f64x2.multiplyAdd(a, b, low), low)
}

/** Rounds a float, of a magnitude up to 2^102, to a multiple of 2^51. */
export function roundedToBase(code: FunctionCode, a: Code): Code {
  const high = holdFloat(code, HIGH)
  return f64x2.subtract(f64x2.add(a, high), high)
}

/** Returns nine times a float, rounded to a multiple of 2^51 and negated. */
export function negatedHighOfNine(code: FunctionCode, a: Code): Code {
  const high = holdFloat(code, HIGH)
  return f64x2.subtract(high, f64x2.multiplyAdd(a, holdFloat(code, 9), high))
}
