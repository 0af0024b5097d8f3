/** The parameter of the curve's family: p = 36x⁴ + 36x³ + 24x² + 6x + 1, r = 36x⁴ + 36x³ + 18x² + 6x + 1. */
export const x = 4965661367192848881n

/** The digits −1, 0 and 1 of 6x + 2, lowest first. Of two neighbouring digits at least one is 0. */
export const LOOP_DIGITS: readonly number[] = nonAdjacentForm(6n * x + 2n)

function nonAdjacentForm(n: bigint): number[] {
  const digits: number[] = []
  for (let remainder = n; remainder > 0n; remainder >>= 1n) {
    const digit = remainder & 1n ? 2 - Number(remainder & 3n) : 0
    digits.push(digit)
    remainder -= BigInt(digit)
  }
  return digits
}
