import type { CompressedProof } from '../../compressed-proof.ts'
import type { Proof } from '../../encoding.ts'
import { p, r } from '../../field.ts'
import { createDecompression, DECOMPRESSION_ELEMENTS } from '../algorithms/decompression.ts'
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
import type { AnyProof, ProofVerifier, Signals } from '../verification-key.ts'
import { createInputSum, INPUT_SUM_ELEMENTS } from './input-sum.ts'
import type { KeyTables } from './key-tables.ts'

/** Creates the verifiers of several keys, for a single thread. They share the memory of a unit. */
export function createVerifiers<Name>(
  module: PairingModule,
  tables: ReadonlyMap<Name, KeyTables>,
): Map<Name, ProofVerifier> {
  const unit = createPairingUnit(module, SHARED_ELEMENTS + KEY_ELEMENTS * tables.size)
  const engine = createEngine(unit)
  return new Map([...tables].map(([name, table]) => [name, prepareVerifier(engine, table)]))
}

/** The parts that the verifiers of all keys share. */
type Engine = ReturnType<typeof createEngine>

const KEY_ELEMENTS = 6 + 2 * 2 * LINES

const SHARED_ELEMENTS =
  INVERSION_ELEMENTS +
  DECOMPRESSION_ELEMENTS +
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
    decompress: createDecompression(unit, inversion),
    loop: createMillerLoop(unit),
    exponentiate: createFinalExponentiation(unit, inversion),
    sumInputs: createInputSum(unit),
    points: { aAndC: unit.allocate(2), a: unit.allocate(2), b: unit.allocate(2) },
    fixedPairs: { x: unit.allocate(2), c: unit.allocate(2) },
    spare: unit.allocate(4),
  }
}

function prepareVerifier(engine: Engine, tables: KeyTables): ProofVerifier {
  const { unit, loop, exponentiate, points, fixedPairs } = engine
  const gamma = load(unit, tables.gammaLines)
  const delta = load(unit, tables.deltaLines)
  const alphaBeta = load(unit, tables.alphaBeta)
  return (proof, signals) => {
    if (signals.length !== tables.inputs.signalCount) return false
    if (!(areCanonical(signals) && writePoints(engine, proof))) return false
    if (!(areOnCurve(engine) && isOnTwist(engine))) return false
    scaleFixedPairs(engine, engine.sumInputs(tables.inputs, signals))
    const isInSubgroup = loop.run(points.a, points.b, [
      { lines: gamma, point: fixedPairs.x },
      { lines: delta, point: fixedPairs.c },
    ])
    if (!isInSubgroup) return false
    exponentiate(loop.value, loop.value)
    return areEqual(engine, loop.value, alphaBeta)
  }
}

/**
 * True if every signal is inside its field. If the verifier reduced other numbers, it would accept a nullifier in two
 * forms.
 */
function areCanonical(signals: Signals): boolean {
  return signals.every((n) => n >= 0n && n < r)
}

/**
 * Writes A and C into the two lanes, A again into both lanes, and B.
 *
 * @returns false if a coordinate is outside its field. If the verifier reduced it, it would accept a proof in two forms.
 */
function writePoints(engine: Engine, proof: AnyProof): boolean {
  const { unit, points, decompress } = engine
  const { a, aAndC } = points
  if ('a' in proof) {
    if (!coordinatesOf(proof).every(isInField)) return false
    const { a: A, b: B, c: C } = proof
    writeElement(unit, aAndC, [A[0], C[0]])
    writeElement(unit, elementAt(aAndC, 1), [A[1], C[1]])
    writeElement(unit, points.b, B[0])
    writeElement(unit, elementAt(points.b, 1), B[1])
  } else {
    if (!compressedCoordinatesOf(proof).every(isInField)) return false
    decompress(points, proof)
  }
  spreadLane(unit, a, { from: aAndC, lane: 0 })
  spreadLane(unit, elementAt(a, 1), { from: elementAt(aAndC, 1), lane: 0 })
  return true
}

function coordinatesOf({ a, b, c }: Proof): bigint[] {
  return [...a, ...b.flat(), ...c]
}

function compressedCoordinatesOf([a, b0, b1, c]: CompressedProof): bigint[] {
  return [a >> 1n, b0, b1 >> 2n, c >> 1n]
}

function isInField(n: bigint): boolean {
  return n >= 0n && n < p
}

/**
 * True if A and C are on the curve. The order of the curve is prime, so no subgroup needs a check; (0, 0) is not on the
 * curve.
 */
function areOnCurve({ unit, points: { aAndC }, spare }: Engine): boolean {
  unit.run.curveEquation(spare, aAndC)
  return areZero(unit, spare, 1)
}

/** True if B is on the twist; the Miller loop checks the subgroup. */
function isOnTwist({ unit, points: { b }, spare }: Engine): boolean {
  unit.run.twistEquation(spare, b)
  return areZero(unit, spare, 1)
}

/**
 * Converts the points −X and −C to the form (x/y, 1/y) that the Miller loop needs, with the negated y. X = (X, Y, Z) is
 * in both lanes. If X is zero, which is (0, Y, 0), its pair has the value 1. Y is never 0, because no point has order
 * 2.
 */
function scaleFixedPairs({ unit, invertLanes, points, fixedPairs, spare }: Engine, sum: Pointer) {
  const { run } = unit
  const [inverse, spread] = [spare, elementAt(spare, 2)]
  joinLanes(unit, inverse, { first: elementAt(sum, 1), second: elementAt(points.aAndC, 1) })
  invertLanes(inverse, inverse)
  run.negateElements(inverse, inverse)
  spreadLane(unit, spread, { from: inverse, lane: 0 })
  run.multiplyLanes(fixedPairs.x, sum, spread)
  run.multiplyLanes(elementAt(fixedPairs.x, 1), elementAt(sum, 2), spread)
  spreadLane(unit, elementAt(fixedPairs.c, 1), { from: inverse, lane: 1 })
  spreadLane(unit, spread, { from: points.aAndC, lane: 1 })
  run.multiplyLanes(fixedPairs.c, spread, elementAt(fixedPairs.c, 1))
}

/** Compares two elements of Fp12. */
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
