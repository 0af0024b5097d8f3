import { x } from '../field/loop-digits.ts'
import type { Inversion } from './inversion.ts'
import { copyElements, type PairingUnit, type Pointer } from './pairing-unit.ts'

/** The number of odd powers that a window uses: the powers 1, 3, 5 and 7. */
const ODD_POWERS = 4

/** The memory that the final exponentiation needs, in elements. */
export const FINAL_EXPONENTIATION_ELEMENTS = 6 * (6 + ODD_POWERS + 3)

/** Raises an element of Fp12 to the power m·(p¹² − 1)/r, where m is prime to r. */
export type FinalExponentiation = (result: Pointer, a: Pointer) => void

/**
 * Creates the final exponentiation. It first raises the element to the power (p⁶ − 1)(p² + 1). The inverse of this
 * intermediate result is its conjugate. Then it raises this result to m·(p⁴ − p² + 1)/r, by the addition chain of the
 * paper. Since m is prime to r, the final result is 1 only if the power (p¹² − 1)/r of the element is 1.
 * `test/lib/proof/pairing/argument.test.ts` computes the exponent of the chain with integers.
 *
 * @see Sylvain Duquesne, Loubna Ghammam: Memory-saving computation of the pairing final exponentiation on BN curves,
 *   https://eprint.iacr.org/2015/192 (section 3.3, after Fuentes-Castañeda, Knapp and Rodríguez-Henríquez, SAC 2011)
 */
export function createFinalExponentiation(
  unit: PairingUnit,
  inversion: Inversion,
): FinalExponentiation {
  const { run } = unit
  const toTheX = createPowerOfX(unit)
  const [z, t0, t1] = [unit.allocate(6), unit.allocate(6), unit.allocate(6)]
  const [t2, t3, t4] = [unit.allocate(6), unit.allocate(6), unit.allocate(6)]

  function easyPart(a: Pointer) {
    run.conjugateFp12(t0, a)
    inversion.fp12(t1, a)
    run.multiplyFp12(t0, t0, t1)
    run.frobeniusSquared(z, t0)
    run.multiplyFp12(z, z, t0)
  }

  return (result, a) => {
    easyPart(a)
    // z^(−2x), z^(−6x), z^(6x²) and z^(12x³)
    toTheX(t0, z)
    run.conjugateFp12(t0, t0)
    run.squareCyclotomic(t0, t0)
    run.squareCyclotomic(t1, t0)
    run.multiplyFp12(t1, t0, t1)
    toTheX(t2, t1)
    run.conjugateFp12(t2, t2)
    run.conjugateFp12(t3, t1)
    run.multiplyFp12(t1, t2, t3)
    run.squareCyclotomic(t3, t2)
    toTheX(t4, t3)
    run.multiplyFp12(t4, t1, t4)
    // The product of z and these four powers, and of their images under the Frobenius map, its square and its cube.
    run.multiplyFp12(t3, t0, t4)
    run.multiplyFp12(t0, t2, t4)
    run.multiplyFp12(t0, z, t0)
    run.frobenius(t2, t3)
    run.multiplyFp12(t0, t2, t0)
    run.frobeniusSquared(t2, t4)
    run.multiplyFp12(t0, t2, t0)
    run.conjugateFp12(t2, z)
    run.multiplyFp12(t2, t2, t3)
    run.frobeniusCubed(t2, t2)
    run.multiplyFp12(result, t2, t0)
  }
}

/** Creates the function that computes a^x by signed windows of four bits. The inverse of a must be its conjugate. */
function createPowerOfX(unit: PairingUnit) {
  const { run } = unit
  const odd = Array.from({ length: ODD_POWERS }, () => unit.allocate(6))
  const [square, power, inverse] = [unit.allocate(6), unit.allocate(6), unit.allocate(6)]
  const [first = 0, ...laterDigits] = WINDOWS_OF_X
  const oddPower = (digit: number) => odd[(digit - 1) / 2] ?? 0

  return (result: Pointer, a: Pointer) => {
    run.squareCyclotomic(square, a)
    odd.forEach((pointer, i) => {
      if (i === 0) copyElements(unit, pointer, a, 6)
      else run.multiplyFp12(pointer, odd[i - 1] ?? 0, square)
    })
    copyElements(unit, power, oddPower(first), 6)
    for (const digit of laterDigits) {
      run.squareCyclotomic(power, power)
      if (digit > 0) run.multiplyFp12(power, power, oddPower(digit))
      if (digit < 0) {
        run.conjugateFp12(inverse, oddPower(-digit))
        run.multiplyFp12(power, power, inverse)
      }
    }
    copyElements(unit, result, power, 6)
  }
}

/** The digits of x, highest first: 0 or odd, from −7 to 7. At least three zeros separate two digits that are not 0. */
const WINDOWS_OF_X = signedWindows(x)

function signedWindows(n: bigint): number[] {
  const digits: number[] = []
  for (let remainder = n; remainder > 0n; remainder >>= 1n) {
    const digit = remainder & 1n ? BigInt.asIntN(4, remainder) : 0n
    digits.unshift(Number(digit))
    remainder -= digit
  }
  return digits
}
