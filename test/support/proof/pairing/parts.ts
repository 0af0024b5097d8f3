import type { G1, G2 } from '../../../../lib/proof/field.ts'
import {
  createFinalExponentiation,
  FINAL_EXPONENTIATION_ELEMENTS,
} from '../../../../lib/proof/pairing/algorithms/final-exponentiation.ts'
import {
  createInversion,
  INVERSION_ELEMENTS,
} from '../../../../lib/proof/pairing/algorithms/inversion.ts'
import {
  createMillerLoop,
  MILLER_LOOP_ELEMENTS,
} from '../../../../lib/proof/pairing/algorithms/miller-loop.ts'
import {
  createPairingUnit,
  elementAt,
  type PairingModule,
  readElement,
  writeElement,
} from '../../../../lib/proof/pairing/algorithms/pairing-unit.ts'
import { generatePairingModule } from '../../../../lib/proof/pairing/functions/pairing-module.ts'
import type { Fp12 } from './oracle-fp12.ts'

/** Compiles the WebAssembly module of the pairing engine. */
export function compilePairingModule(): PairingModule {
  const { bytes, scratchBytes } = generatePairingModule()
  return { module: new WebAssembly.Module(bytes), scratchBytes }
}

type Operation =
  | 'multiplyFp12'
  | 'squareFp12'
  | 'squareCyclotomic'
  | 'frobenius'
  | 'frobeniusSquared'
  | 'frobeniusCubed'
  | 'conjugateFp12'

/** Returns the parts of the pairing engine as functions of bigints. */
export function pairingParts() {
  const elements = INVERSION_ELEMENTS + FINAL_EXPONENTIATION_ELEMENTS + MILLER_LOOP_ELEMENTS + 30
  const unit = createPairingUnit(compilePairingModule(), elements)
  const inversion = createInversion(unit)
  const loop = createMillerLoop(unit)
  const exponentiate = createFinalExponentiation(unit, inversion)
  const [a, b, result] = [unit.allocate(6), unit.allocate(6), unit.allocate(6)]
  const write = (pointer: number, value: Fp12) => {
    value.forEach((pair, i) => {
      writeElement(unit, elementAt(pointer, i), pair)
    })
  }
  const read = (pointer: number): Fp12 =>
    Array.from({ length: 6 }, (_, i) => readElement(unit, elementAt(pointer, i)))
  const runLoop = ([x, y]: G1, q: G2) => {
    write(a, [
      [x, x],
      [y, y],
    ])
    write(b, q)
    return loop.run(a, b, [])
  }
  return {
    fp12(name: Operation, first: Fp12, second: Fp12 = first): Fp12 {
      write(a, first)
      write(b, second)
      if (name === 'multiplyFp12') unit.run[name](result, a, b)
      else unit.run[name](result, a)
      return read(result)
    },
    inverse(value: Fp12): Fp12 {
      write(a, value)
      inversion.fp12(result, a)
      return read(result)
    },
    /** True if a point of the twist is in the subgroup, according to the Miller loop's check. */
    isInSubgroup: (q: G2): boolean => runLoop([1n, 2n], q),
    pairing(p: G1, q: G2): Fp12 {
      if (!runLoop(p, q)) throw new RangeError('The point is outside the subgroup.')
      exponentiate(result, loop.value)
      return read(result)
    },
  }
}
