import { type Fp2, type G2, p } from '../../field.ts'
import { ELEMENT_BYTES, fromMontgomery, LIMBS, toLimbs } from '../field/limbs.ts'

/** The address of an element in a unit's memory, or of the first of several elements. */
export type Pointer = number

/** A function of the module. The first pointer is the address of the results. */
type Operation = (result: Pointer, ...operands: Pointer[]) => void

/** An instance of the module with a separate memory, for a single thread. */
export type PairingUnit = {
  run: Record<(typeof OPERATIONS)[number], Operation>
  /** The memory as floats. An element is two lanes of five limbs. */
  floats: Float64Array
  /** Reserves memory for elements, which are zero at first. */
  allocate(elements: number): Pointer
}

/** The compiled module, which may be sent to other threads, and the bytes that its functions use from address 0. */
export type PairingModule = { module: WebAssembly.Module; scratchBytes: number }

const OPERATIONS = [
  'multiplyFp12',
  'squareFp12',
  'squareCyclotomic',
  'conjugateFp12',
  'frobenius',
  'frobeniusSquared',
  'frobeniusCubed',
  'fp6Adjugate',
  'scaleFp6',
  'multiplyByLine',
  'multiplyByPreparedLine',
  'fp2Norm',
  'divideLine',
  'doublePoint',
  'addPoint',
  'negatePoint',
  'twistEquation',
  'twistFrobenius',
  'differenceFromNegative',
  'addAffine',
  'addProjective',
  'curveEquation',
  'exchangeLanes',
  'multiplyLanes',
  'subtractElements',
  'negateElements',
  'enterMontgomery',
  'multiplyAddTwice',
] as const

const PAGE_BYTES = 65_536

/** @param elements the most elements that can be allocated */
export function createPairingUnit(
  { module, scratchBytes }: PairingModule,
  elements: number,
): PairingUnit {
  const bytes = scratchBytes + ELEMENT_BYTES * elements
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) })
  const { exports } = new WebAssembly.Instance(module, { pairing: { memory } })
  let next = scratchBytes
  return {
    run: operationsOf(exports),
    floats: new Float64Array(memory.buffer),
    allocate(count) {
      const pointer = next
      next += ELEMENT_BYTES * count
      if (next > bytes) throw new RangeError(`The unit has no memory for ${count} more elements.`)
      return pointer
    },
  }
}

function operationsOf(exports: Readonly<Record<string, unknown>>): PairingUnit['run'] {
  const find = (name: (typeof OPERATIONS)[number]): Operation => {
    const operation = exports[name]
    if (!isOperation(operation)) throw new RangeError(`The module has no function ${name}.`)
    return operation
  }
  return {
    multiplyFp12: find('multiplyFp12'),
    squareFp12: find('squareFp12'),
    squareCyclotomic: find('squareCyclotomic'),
    conjugateFp12: find('conjugateFp12'),
    frobenius: find('frobenius'),
    frobeniusSquared: find('frobeniusSquared'),
    frobeniusCubed: find('frobeniusCubed'),
    fp6Adjugate: find('fp6Adjugate'),
    scaleFp6: find('scaleFp6'),
    multiplyByLine: find('multiplyByLine'),
    multiplyByPreparedLine: find('multiplyByPreparedLine'),
    fp2Norm: find('fp2Norm'),
    divideLine: find('divideLine'),
    doublePoint: find('doublePoint'),
    addPoint: find('addPoint'),
    negatePoint: find('negatePoint'),
    twistEquation: find('twistEquation'),
    twistFrobenius: find('twistFrobenius'),
    differenceFromNegative: find('differenceFromNegative'),
    addAffine: find('addAffine'),
    addProjective: find('addProjective'),
    curveEquation: find('curveEquation'),
    exchangeLanes: find('exchangeLanes'),
    multiplyLanes: find('multiplyLanes'),
    subtractElements: find('subtractElements'),
    negateElements: find('negateElements'),
    enterMontgomery: find('enterMontgomery'),
    multiplyAddTwice: find('multiplyAddTwice'),
  }
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'function'
}

/** Returns the address of the element that is `index` elements after this one. */
export function elementAt(pointer: Pointer, index: number): Pointer {
  return pointer + ELEMENT_BYTES * index
}

/** Writes an element of Fp2, or two elements of Fp. Each number n must satisfy `0 <= n < p`. */
export function writeElement({ run, floats }: PairingUnit, pointer: Pointer, value: Fp2): void {
  value.forEach((n, lane) => {
    toLimbs(n > p / 2n ? n - p : n).forEach((limb, i) => {
      floats[pointer / 8 + 2 * i + lane] = limb
    })
  })
  run.enterMontgomery(pointer, pointer)
}

/** Writes an affine point of the twist, or two points of the curve in the two lanes. */
export function writePoint(unit: PairingUnit, [x, y]: G2): Pointer {
  const pointer = unit.allocate(2)
  writeElement(unit, pointer, x)
  writeElement(unit, elementAt(pointer, 1), y)
  return pointer
}

/** Reads an element of Fp2, or two elements of Fp. */
export function readElement(unit: PairingUnit, pointer: Pointer): Fp2 {
  return [readLane(unit, pointer, 0), readLane(unit, pointer, 1)]
}

function readLane({ floats }: PairingUnit, pointer: Pointer, lane: number): bigint {
  const limbs = Array.from({ length: LIMBS }, (_, i) => floats[pointer / 8 + 2 * i + lane] ?? 0)
  return fromMontgomery(limbs)
}

export function copyElements(
  { floats }: PairingUnit,
  to: Pointer,
  from: Pointer,
  count: number,
): void {
  floats.copyWithin(to / 8, from / 8, elementAt(from, count) / 8)
}

/** Combines the first lane of one element with the second lane of another. */
export function joinLanes(
  { floats }: PairingUnit,
  to: Pointer,
  { first, second }: { first: Pointer; second: Pointer },
): void {
  for (let i = 0; i < 2 * LIMBS; i += 2) {
    floats[to / 8 + i] = floats[first / 8 + i] ?? 0
    floats[to / 8 + i + 1] = floats[second / 8 + i + 1] ?? 0
  }
}

/** Copies a lane of an element into both lanes of another element. */
export function spreadLane(
  { floats }: PairingUnit,
  to: Pointer,
  { from, lane }: { from: Pointer; lane: 0 | 1 },
): void {
  for (let i = 0; i < 2 * LIMBS; i += 2) {
    const limb = floats[from / 8 + i + lane] ?? 0
    floats[to / 8 + i] = limb
    floats[to / 8 + i + 1] = limb
  }
}

/**
 * True if elements are zero in both lanes. Every result of the module is reduced, so its magnitude is below p. So only
 * the number 0 represents zero, and its limbs are all 0 or −0.
 */
export function areZero({ floats }: PairingUnit, pointer: Pointer, count: number): boolean {
  for (let i = pointer / 8; i < elementAt(pointer, count) / 8; i++)
    if (floats[i] !== 0) return false
  return true
}
