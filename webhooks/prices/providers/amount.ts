/** The decimals of every price in our responses (spec 2.14). */
export const PRICE_DECIMALS = 6

/** The largest exponent that is accepted. Prices have smaller ones. A huge exponent would fill the memory with zeros. */
const MAX_EXPONENT = 40n

/**
 * Parses a decimal number in the spelling of JSON to an integer with `PRICE_DECIMALS` decimals, rounded half up, without
 * floating-point numbers.
 *
 * @returns null if the text is malformed or the result is not positive
 */
export function parseAmount(text: string): bigint | null {
  const [, whole, fraction = '', exponent = '0'] =
    /^(\d{1,40})(?:\.(\d{1,100}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? []
  const power = BigInt(exponent)
  if (whole === undefined || power > MAX_EXPONENT || power < -MAX_EXPONENT) return null
  return scaleRounded(
    BigInt(whole + fraction),
    power - BigInt(fraction.length) + BigInt(PRICE_DECIMALS),
  )
}

/** Returns `value` × 10^`power` as a whole number, rounded half up, or null for zero. */
function scaleRounded(value: bigint, power: bigint): bigint | null {
  const amount = power >= 0n ? value * 10n ** power : divideRounded(value, 10n ** -power)
  return amount > 0n ? amount : null
}

/** Divides two positive numbers and rounds half up. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor)
}
