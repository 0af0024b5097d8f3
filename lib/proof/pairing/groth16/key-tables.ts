import type { G1 } from '../../field.ts'
import {
  createFinalExponentiation,
  FINAL_EXPONENTIATION_ELEMENTS,
} from '../algorithms/final-exponentiation.ts'
import { createInversion, INVERSION_ELEMENTS } from '../algorithms/inversion.ts'
import {
  createMillerLoop,
  LINES,
  MILLER_LOOP_ELEMENTS,
  prepareLines,
} from '../algorithms/miller-loop.ts'
import {
  createPairingUnit,
  elementAt,
  type PairingModule,
  type PairingUnit,
  type Pointer,
  writePoint,
} from '../algorithms/pairing-unit.ts'
import { ELEMENT_BYTES } from '../field/limbs.ts'
import type { VerificationKey } from '../verification-key.ts'
import { type InputTables, inputTableElements, makeInputTables } from './input-tables.ts'

/** The tables of a key. They are computed once, and are in shared memory for all threads. */
export type KeyTables = {
  /**
   * e(alpha, beta) after the final exponentiation, in the memory format of a unit. The lines below have the same
   * format.
   */
  alphaBeta: Float64Array
  gammaLines: Float64Array
  deltaLines: Float64Array
  inputs: InputTables
}

/** Computes the tables of a key. This takes some tens of milliseconds, most of them for the signals' points. */
export function makeKeyTables(module: PairingModule, key: VerificationKey): KeyTables {
  const unit = createPairingUnit(module, tableMakingElements(key))
  const inversion = createInversion(unit)
  const loop = createMillerLoop(unit)
  const exponentiate = createFinalExponentiation(unit, inversion)
  const [alpha, beta] = [writePoint(unit, inBothLanes(key.alpha)), writePoint(unit, key.beta)]
  if (!loop.run(alpha, beta, [])) throw new RangeError('beta is outside the subgroup.')
  exponentiate(loop.value, loop.value)
  const lines = (point: VerificationKey['gamma']) =>
    sharedElements(unit, prepareLines(unit, inversion, point), 2 * LINES)
  return {
    alphaBeta: sharedElements(unit, loop.value, 6),
    gammaLines: lines(key.gamma),
    deltaLines: lines(key.delta),
    inputs: makeInputTables(unit, inversion, key.ic),
  }
}

/** The memory for making all tables of a key, in elements. */
function tableMakingElements({ ic }: VerificationKey): number {
  return (
    INVERSION_ELEMENTS +
    FINAL_EXPONENTIATION_ELEMENTS +
    3 * MILLER_LOOP_ELEMENTS +
    2 * (7 * LINES + 8) +
    inputTableElements(ic.length - 1) +
    4
  )
}

/** Puts each coordinate of a point into both lanes. */
function inBothLanes([x, y]: G1): VerificationKey['beta'] {
  return [
    [x, x],
    [y, y],
  ]
}

function sharedElements({ floats }: PairingUnit, pointer: Pointer, count: number): Float64Array {
  const copy = new Float64Array(new SharedArrayBuffer(ELEMENT_BYTES * count))
  copy.set(floats.subarray(pointer / 8, elementAt(pointer, count) / 8))
  return copy
}
