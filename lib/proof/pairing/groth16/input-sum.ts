import type { PairingUnit, Pointer } from '../algorithms/pairing-unit.ts'
import type { Signals } from '../verification-key.ts'
import { halfOf, type InputTables, POINT_FLOATS, POSITIONS, pointIndex } from './input-tables.ts'

/** The memory that the sum needs, in elements. */
export const INPUT_SUM_ELEMENTS = 3 + 3 + 2

/** Computes the constant plus each signal times its point: three elements, in both lanes. */
export type InputSum = (tables: InputTables, signals: Signals) => Pointer

/**
 * Sums the points of the first half of the signals in the first lane, of the second half in the second lane, then adds
 * both sums. If the number of signals is odd, the second lane has a last signal that is always 0.
 */
export function createInputSum(unit: PairingUnit): InputSum {
  const { run, floats } = unit
  const [sum, exchanged, point] = [unit.allocate(3), unit.allocate(3), unit.allocate(2)]
  return ({ points, start, signalCount }, signals) => {
    floats.set(start, sum / 8)
    const half = halfOf(signalCount)
    const digits = digitsOf(signals, 2 * half)
    for (let signal = 0; signal < half; signal++)
      for (let position = 0; position < POSITIONS; position++) {
        const index = (each: number) =>
          pointIndex(each, position, digits[each * POSITIONS + position] ?? 0)
        copyPoints(floats, point / 8, points, [index(signal), index(signal + half)])
        run.addAffine(sum, sum, point)
      }
    run.exchangeLanes(exchanged, sum)
    run.addProjective(sum, sum, exchanged)
    return sum
  }
}

/** Copies two points of the tables into the two lanes. */
function copyPoints(
  floats: Float64Array,
  to: number,
  points: Float64Array,
  [first, second]: readonly [number, number],
) {
  for (let i = 0; i < POINT_FLOATS; i++) {
    floats[to + 2 * i] = points[first + i] ?? 0
    floats[to + 2 * i + 1] = points[second + i] ?? 0
  }
}

/** Returns the digits of each signal to the base 16, lowest first. Signals that are missing in `count` are 0. */
function digitsOf(signals: Signals, count: number): Uint8Array {
  const words = new BigUint64Array(4 * count)
  signals.forEach((signal, i) => {
    for (let k = 0; k < 4; k++) words[4 * i + k] = BigInt.asUintN(64, signal >> BigInt(64 * k))
  })
  const bytes = new Uint8Array(words.buffer)
  const digits = new Uint8Array(2 * bytes.length)
  bytes.forEach((byte, i) => {
    digits[2 * i] = byte & 15
    digits[2 * i + 1] = byte >> 4
  })
  return digits
}
