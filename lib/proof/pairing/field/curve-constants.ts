import { type Fp2, p } from '../../field.ts'
import { conjugateFp2, inverseFp2, multiplyFp2, powerFp2, XI } from './fp2.ts'
import { itemAt } from './limbs.ts'

/** The curve is y² = x³ + 3 over Fp; the twist is y² = x³ + 3/ξ over Fp2. */
export const CURVE_B = 3n
export const TWIST_B: Fp2 = multiplyFp2([CURVE_B, 0n], inverseFp2(XI))

/**
 * The factors w^((p−1)·i) = ξ^((p−1)·i/6). The Frobenius map conjugates the coefficient of w^i and multiplies it by
 * this factor.
 */
export const FROBENIUS: readonly Fp2[] = Array.from({ length: 6 }, (_, i) =>
  powerFp2(XI, (BigInt(i) * (p - 1n)) / 6n),
)

/** The factors of the Frobenius map's square, which does not conjugate coefficients, and of its cube, which does. */
export const FROBENIUS_SQUARED = FROBENIUS.map((factor) =>
  multiplyFp2(factor, conjugateFp2(factor)),
)
export const FROBENIUS_CUBED = FROBENIUS.map((factor, i) =>
  multiplyFp2(factor, itemAt(FROBENIUS_SQUARED, i)),
)
