import { p } from '../../field.ts'
import { areZero, copyElements, elementAt, type PairingUnit, type Pointer } from './pairing-unit.ts'

/** Inversions. The result for 0 is 0. */
export type Inversion = {
  /** Inverts a number of Fp in each lane. */
  lanes(result: Pointer, a: Pointer): void
  /** Inverts an element of Fp12. */
  fp12(result: Pointer, a: Pointer): void
  /** Computes a square root of the number in each lane; of a number without a root, the result is a root of its opposite. */
  rootLanes(result: Pointer, a: Pointer): void
}

/** The number of powers that a window of four bits needs. */
const WINDOW_ENTRIES = 16

/** The memory that inversions need, in elements. */
export const INVERSION_ELEMENTS = WINDOW_ENTRIES + 1 + 6 + 6 + 4 + 6

/** Exponents for an inverse and, since p is 3 modulo 4, for a square root. */
const [INVERSE, ROOT] = [digitsOfPower(p - 2n), digitsOfPower((p + 1n) / 4n)]

/** Returns the digits of an exponent to the base 16, highest first. */
function digitsOfPower(exponent: bigint): number[] {
  return [...exponent.toString(16)].map((digit) => Number.parseInt(digit, 16))
}

export function createInversion(unit: PairingUnit): Inversion {
  const { run } = unit
  const powers = unit.allocate(WINDOW_ENTRIES)
  const power = unit.allocate(1)
  const [conjugate, product] = [unit.allocate(6), unit.allocate(6)]
  const [adjugate, inverse] = [unit.allocate(4), unit.allocate(6)]

  /** Computes a^(p−2) (Fermat). */
  const lanes = (result: Pointer, a: Pointer) => raise(result, a, INVERSE)
  const rootLanes = (result: Pointer, a: Pointer) => raise(result, a, ROOT)

  /** Computes a power, by windows of four bits. */
  function raise(result: Pointer, a: Pointer, exponent: readonly number[]) {
    copyElements(unit, elementAt(powers, 1), a, 1)
    for (let i = 2; i < WINDOW_ENTRIES; i++)
      run.multiplyLanes(elementAt(powers, i), elementAt(powers, i - 1), a)
    const [first = 0, ...laterDigits] = exponent
    copyElements(unit, power, elementAt(powers, first), 1)
    for (const digit of laterDigits) {
      for (let i = 0; i < 4; i++) run.multiplyLanes(power, power, power)
      if (digit !== 0) run.multiplyLanes(power, power, elementAt(powers, digit))
    }
    copyElements(unit, result, power, 1)
  }

  /** Computes ā/(a·ā) with ā = a^(p⁶). Since a·ā is in Fp6, inverting it needs a single inversion in Fp. */
  function fp12(result: Pointer, a: Pointer) {
    run.conjugateFp12(conjugate, a)
    run.multiplyFp12(product, a, conjugate)
    run.fp6Adjugate(adjugate, product)
    const norm = elementAt(adjugate, 3)
    lanes(norm, norm)
    run.scaleFp6(inverse, adjugate, norm)
    run.multiplyFp12(result, conjugate, inverse)
  }

  return { lanes, fp12, rootLanes }
}

/**
 * Inverts several numbers of Fp in place, with a single inversion.
 *
 * @see Peter Montgomery: Speeding the Pollard and elliptic curve methods of factorization, 1987 (section 10.3.1)
 * @param pointers elements without a zero in either lane
 */
export function invertTogether(
  unit: PairingUnit,
  { lanes }: Inversion,
  pointers: readonly Pointer[],
): void {
  const { run } = unit
  const products = unit.allocate(pointers.length)
  const inverse = unit.allocate(2)
  const swap = elementAt(inverse, 1)
  pointers.forEach((pointer, i) => {
    if (i === 0) copyElements(unit, products, pointer, 1)
    else run.multiplyLanes(elementAt(products, i), elementAt(products, i - 1), pointer)
  })
  lanes(inverse, elementAt(products, pointers.length - 1))
  if (areZero(unit, inverse, 1)) throw new RangeError('Zero has no inverse.')
  for (let i = pointers.length - 1; i > 0; i--) {
    const pointer = pointers[i] ?? 0
    run.multiplyLanes(swap, inverse, elementAt(products, i - 1))
    run.multiplyLanes(inverse, inverse, pointer)
    copyElements(unit, pointer, swap, 1)
  }
  copyElements(unit, pointers[0] ?? 0, inverse, 1)
}
