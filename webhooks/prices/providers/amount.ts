/** Decimals of every amount in our answers (spec 2.14). */
export const PRICE_DECIMALS = 6

/** No price has a larger exponent, and a much larger one would fill the memory with zeros. */
const MAX_EXPONENT = 40n

/**
 * Reads a decimal number, as JSON spells it, as an integer with `PRICE_DECIMALS` decimals, rounded
 * half up; never by way of a floating-point number.
 *
 * @returns null unless the result is a positive number
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

/** `value` × 10^`power` as a whole number, rounded half up; null for zero. */
function scaleRounded(value: bigint, power: bigint): bigint | null {
  const amount = power >= 0n ? value * 10n ** power : divideRounded(value, 10n ** -power)
  return amount > 0n ? amount : null
}

/** A quotient of two positive numbers, rounded half up. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor)
}
