import type { G1 } from '../../field.ts'
import { type Inversion, invertTogether } from '../algorithms/inversion.ts'
import {
  copyElements,
  elementAt,
  type PairingUnit,
  type Pointer,
  writeElement,
  writePoint,
} from '../algorithms/pairing-unit.ts'
import { LIMBS } from '../field/limbs.ts'
import type { VerificationKey } from '../verification-key.ts'

/**
 * Multiples of the signals' points. A signal has 64 digits to the base 16. For the digit d at position i, the table has
 * the point (d + 1)·16^i·P. So the 64 points of a signal add up to signal·P plus 16^i·P for each i, which `start`
 * subtracts. The factor is d + 1 instead of d so that no point is zero: 16^i·(d + 1) is not a multiple of the prime r.
 */
export type InputTables = {
  /** The limbs of x and y, by signal, position and digit. */
  points: Float64Array
  /** The constant of the key minus all 16^i·P: three elements, with zero in the second lane. */
  start: Float64Array
  /** The number of signals that the key has. */
  signalCount: number
}

/** The number of digits of 256 bits to the base 16. */
export const POSITIONS = 64
const DIGITS = 16

/** The number of floats of a point in the tables. */
export const POINT_FLOATS = 2 * LIMBS

/** The memory for making the tables of a number of signals, in elements. */
export function inputTableElements(signalCount: number): number {
  return 3 + halfOf(signalCount) * (2 + POSITIONS * (DIGITS * 3 + 2 + DIGITS + 2))
}

/** Returns the number of signals in each lane. */
export function halfOf(signalCount: number): number {
  return Math.ceil(signalCount / 2)
}

/** Returns the index of the first float of a digit's point. */
export function pointIndex(signal: number, position: number, digit: number): number {
  return ((signal * POSITIONS + position) * DIGITS + digit) * POINT_FLOATS
}

/**
 * Makes the tables of two signals at a time, in the two lanes. An odd number of signals gets a last signal that is always
 * 0, with the constant as its point: the sum adds 16^i times this point, and `start` subtracts it.
 */
export function makeInputTables(
  unit: PairingUnit,
  inversion: Inversion,
  [constant, ...factors]: VerificationKey['ic'],
): InputTables {
  const half = halfOf(factors.length)
  const points = sharedFloats(2 * half * POSITIONS * DIGITS * POINT_FLOATS)
  const start = writeProjective(unit, constant)
  for (let signal = 0; signal < half; signal++) {
    const [ax, ay] = factors[signal] ?? constant
    const [bx, by] = factors[signal + half] ?? constant
    let base = writePoint(unit, [
      [ax, bx],
      [ay, by],
    ])
    for (let position = 0; position < POSITIONS; position++) {
      subtractPoint(unit, start, base)
      const multiples = multiplesOf(unit, inversion, base)
      multiples.forEach((multiple, digit) => {
        copyLane(unit, multiple, { lane: 0, to: points, at: pointIndex(signal, position, digit) })
        copyLane(unit, multiple, {
          lane: 1,
          to: points,
          at: pointIndex(signal + half, position, digit),
        })
      })
      base = multiples.at(-1) ?? base
    }
  }
  const floats = sharedFloats(3 * POINT_FLOATS)
  floats.set(unit.floats.subarray(start / 8, elementAt(start, 3) / 8))
  return { points, start: floats, signalCount: factors.length }
}

/** Writes the constant in the first lane and zero, (0, 1, 0), in the second. */
function writeProjective(unit: PairingUnit, [x, y]: G1): Pointer {
  const pointer = unit.allocate(3)
  writeElement(unit, pointer, [x, 0n])
  writeElement(unit, elementAt(pointer, 1), [y, 1n])
  writeElement(unit, elementAt(pointer, 2), [1n, 0n])
  return pointer
}

function subtractPoint(unit: PairingUnit, sum: Pointer, point: Pointer) {
  const opposite = unit.allocate(2)
  unit.run.negatePoint(opposite, point)
  unit.run.addAffine(sum, sum, opposite)
}

/** Computes the multiples of a point by 1 to 16, in affine coordinates. */
function multiplesOf(unit: PairingUnit, inversion: Inversion, base: Pointer): Pointer[] {
  const { run } = unit
  const multiples = Array.from({ length: DIGITS }, () => unit.allocate(3))
  multiples.forEach((multiple, i) => {
    const previous = multiples[i - 1]
    if (previous !== undefined) run.addAffine(multiple, previous, base)
    else {
      copyElements(unit, multiple, base, 2)
      writeElement(unit, elementAt(multiple, 2), [1n, 1n])
    }
  })
  invertTogether(
    unit,
    inversion,
    multiples.map((multiple) => elementAt(multiple, 2)),
  )
  for (const multiple of multiples) {
    const [x, y, inverse] = [multiple, elementAt(multiple, 1), elementAt(multiple, 2)]
    run.multiplyLanes(x, x, inverse)
    run.multiplyLanes(y, y, inverse)
  }
  return multiples
}

/** Copies a lane of a point into a table. */
function copyLane(
  { floats }: PairingUnit,
  point: Pointer,
  { lane, to, at }: { lane: 0 | 1; to: Float64Array; at: number },
) {
  for (let i = 0; i < POINT_FLOATS; i++) to[at + i] = floats[point / 8 + 2 * i + lane] ?? 0
}

function sharedFloats(count: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(8 * count))
}
