import { bitsOfFloat, type FunctionCode, holdFloat, holdValue } from '../wasm/function-code.ts'
import { type Code, f64x2 } from '../wasm/instructions.ts'

/** A float to which multiples of 2^51 up to 2^102 in magnitude may be added: the sum's last bit stands for 2^51. */
const HIGH = 1.5 * 2 ** 103

/** A float to which integers up to 2^51 in magnitude may be added: the sum's last bit stands for 1. */
export const LOW = 1.5 * 2 ** 52

/** The factors of an exact product may have at most this magnitude, multiplied with each other. */
export const LARGEST_PRODUCT = 2n ** 102n

/** The most that may be added to `LOW`. */
export const LARGEST_ADDED = 2n ** 51n

/**
 * The product of two integers as `high·2^51 + low`, without an error, where low is at most 2^50 in magnitude.
 *
 * A multiply-add rounds once. Added to `HIGH`, the product is therefore rounded to the nearest multiple of 2^51, which
 * is high·2^51, as |product| ≤ 2^102 leaves the sum between 2^103 and 2^104. What was lost is at most 2^50 and is
 * computed by the second multiply-add: product − high·2^51 + LOW is an integer between 2^52 and 2^53, so nothing is
 * rounded; nor is it in `HIGH + LOW − sum`, where all are multiples of 2^51 below 2^53·2^51. Equal steps of a float
 * between two powers of two are equal steps of its bits, so the bits of the two sums, read as integers, are high and
 * low plus those of `HIGH` and `LOW`: integers that can be added up.
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
  const left = f64x2.subtract(holdFloat(code, HIGH + LOW), high)
  return { high, low: f64x2.multiplyAdd(a, b, left) }
}

/** The bits of the two floats, as integers: what the halves of a product have too much. */
export const [HIGH_BITS, LOW_BITS] = [bitsOfFloat(HIGH), bitsOfFloat(LOW)]

/** The magnitude of high, for a product of this magnitude. */
export function highSize(product: bigint): bigint {
  return (product + 2n ** 50n) / 2n ** 51n
}

/** An integer out of the bits of a float near `LOW`, as a float. */
export function lowAsFloat(code: FunctionCode, bits: Code): Code {
  return f64x2.subtract(bits, holdFloat(code, LOW))
}

/** The integer next to a·b, as a float: exact addition to `LOW` rounds to an integer. */
export function roundedProduct(code: FunctionCode, a: Code, b: Code): Code {
  const low = holdFloat(code, LOW)
  return f64x2.subtract(f64x2.multiplyAdd(a, b, low), low)
}

/** A float rounded to a multiple of 2^51; at most 2^102 in magnitude. */
export function roundedToBase(code: FunctionCode, a: Code): Code {
  const high = holdFloat(code, HIGH)
  return f64x2.subtract(f64x2.add(a, high), high)
}

/** Nine times a float, rounded to a multiple of 2^51 and negated. */
export function negatedHighOfNine(code: FunctionCode, a: Code): Code {
  const high = holdFloat(code, HIGH)
  return f64x2.subtract(high, f64x2.multiplyAdd(a, holdFloat(code, 9), high))
}
