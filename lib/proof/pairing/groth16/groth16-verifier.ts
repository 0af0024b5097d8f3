import type { Proof } from '../../encoding.ts'
import { p, r } from '../../field.ts'
import {
  createFinalExponentiation,
  FINAL_EXPONENTIATION_ELEMENTS,
} from '../algorithms/final-exponentiation.ts'
import { createInversion, INVERSION_ELEMENTS } from '../algorithms/inversion.ts'
import { createMillerLoop, LINES, MILLER_LOOP_ELEMENTS } from '../algorithms/miller-loop.ts'
import {
  areZero,
  createPairingUnit,
  elementAt,
  joinLanes,
  type PairingModule,
  type PairingUnit,
  type Pointer,
  spreadLane,
  writeElement,
} from '../algorithms/pairing-unit.ts'
import { ELEMENT_BYTES } from '../field/limbs.ts'
import type { ProofVerifier, Signals } from '../verification-key.ts'
import { createInputSum, INPUT_SUM_ELEMENTS } from './input-sum.ts'
import type { KeyTables } from './key-tables.ts'

/** Verifiers for keys, by their tables, which share the memory of one unit: for one thread. */
export function createVerifiers<Name>(
  module: PairingModule,
  tables: ReadonlyMap<Name, KeyTables>,
): Map<Name, ProofVerifier> {
  const unit = createPairingUnit(module, SHARED_ELEMENTS + KEY_ELEMENTS * tables.size)
  const engine = createEngine(unit)
  return new Map([...tables].map(([name, table]) => [name, prepareVerifier(engine, table)]))
}

/** What the verifiers of all keys share. */
type Engine = ReturnType<typeof createEngine>

const KEY_ELEMENTS = 6 + 2 * 2 * LINES

const SHARED_ELEMENTS =
  INVERSION_ELEMENTS +
  FINAL_EXPONENTIATION_ELEMENTS +
  MILLER_LOOP_ELEMENTS +
  INPUT_SUM_ELEMENTS +
  3 * 2 +
  2 * 2 +
  4

function createEngine(unit: PairingUnit) {
  const inversion = createInversion(unit)
  return {
    unit,
    invertLanes: inversion.lanes,
    loop: createMillerLoop(unit),
    exponentiate: createFinalExponentiation(unit, inversion),
    sumInputs: createInputSum(unit),
    points: { aAndC: unit.allocate(2), a: unit.allocate(2), b: unit.allocate(2) },
    scaled: { x: unit.allocate(2), c: unit.allocate(2) },
    spare: unit.allocate(4),
  }
}

function prepareVerifier(engine: Engine, tables: KeyTables): ProofVerifier {
  const { unit, loop, exponentiate, points, scaled } = engine
  const gamma = load(unit, tables.gammaLines)
  const delta = load(unit, tables.deltaLines)
  const alphaBeta = load(unit, tables.alphaBeta)
  return (proof, signals) => {
    if (!areCanonical(proof, signals)) return false
    if (!(writeCurvePoints(engine, proof) && writeTwistPoint(engine, proof))) return false
    scaleFixedPairs(engine, engine.sumInputs(tables.inputs, signals))
    const isInSubgroup = loop.run(points.a, points.b, [
      { lines: gamma, point: scaled.x },
      { lines: delta, point: scaled.c },
    ])
    if (!isInSubgroup) return false
    exponentiate(loop.value, loop.value)
    return areEqual(engine, loop.value, alphaBeta)
  }
}

/** Numbers outside their field are refused, as reducing them would accept a proof or a nullifier in two forms. */
function areCanonical({ a, b, c }: Proof, signals: Signals): boolean {
  return (
    signals.length === 4 &&
    signals.every((n) => n >= 0n && n < r) &&
    [...a, ...b.flat(), ...c].every((n) => n >= 0n && n < p)
  )
}

/**
 * Writes A and C, one in each lane, and A in both.
 *
 * @returns whether both are on the curve. Its order is prime, so there is no subgroup to check, and (0, 0) is not on it.
 */
function writeCurvePoints({ unit, points: { aAndC, a }, spare }: Engine, { a: A, c: C }: Proof) {
  writeElement(unit, aAndC, [A[0], C[0]])
  writeElement(unit, elementAt(aAndC, 1), [A[1], C[1]])
  spreadLane(unit, a, { from: aAndC, lane: 0 })
  spreadLane(unit, elementAt(a, 1), { from: elementAt(aAndC, 1), lane: 0 })
  unit.run.curveEquation(spare, aAndC)
  return areZero(unit, spare, 1)
}

/** Writes B. @returns whether it is on the twist; the Miller loop finds out whether it is in the subgroup */
function writeTwistPoint({ unit, points: { b }, spare }: Engine, { b: [x, y] }: Proof): boolean {
  writeElement(unit, b, x)
  writeElement(unit, elementAt(b, 1), y)
  unit.run.twistEquation(spare, b)
  return areZero(unit, spare, 1)
}

/**
 * The points −X and −C as the Miller loop wants them: (x/y, 1/y), where y is negated. X = (X, Y, Z) is given in both
 * lanes; it may be zero, (0, Y, 0), which makes its pair 1. No Y is 0, as no point has order 2.
 */
function scaleFixedPairs({ unit, invertLanes, points, scaled, spare }: Engine, sum: Pointer) {
  const { run } = unit
  const [inverse, own] = [spare, elementAt(spare, 2)]
  joinLanes(unit, inverse, { first: elementAt(sum, 1), second: elementAt(points.aAndC, 1) })
  invertLanes(inverse, inverse)
  run.negateElements(inverse, inverse)
  spreadLane(unit, own, { from: inverse, lane: 0 })
  run.multiplyLanes(scaled.x, sum, own)
  run.multiplyLanes(elementAt(scaled.x, 1), elementAt(sum, 2), own)
  spreadLane(unit, elementAt(scaled.c, 1), { from: inverse, lane: 1 })
  spreadLane(unit, own, { from: points.aAndC, lane: 1 })
  run.multiplyLanes(scaled.c, own, elementAt(scaled.c, 1))
}

/** Whether two elements of Fp12 are the same. */
function areEqual({ unit, spare }: Engine, a: Pointer, b: Pointer): boolean {
  for (let i = 0; i < 6; i++) {
    unit.run.subtractElements(spare, elementAt(a, i), elementAt(b, i))
    if (!areZero(unit, spare, 1)) return false
  }
  return true
}

function load(unit: PairingUnit, table: Float64Array): Pointer {
  const pointer = unit.allocate(table.byteLength / ELEMENT_BYTES)
  unit.floats.set(table, pointer / 8)
  return pointer
}
