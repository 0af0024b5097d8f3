import type { G2 } from '../../field.ts'
import { LOOP_DIGITS } from '../field/loop-digits.ts'
import { type Inversion, invertTogether } from './inversion.ts'
import {
  areZero,
  copyElements,
  elementAt,
  type PairingUnit,
  type Pointer,
  writeElement,
  writePoint,
} from './pairing-unit.ts'

/** A pair whose point of the twist is fixed: its lines, and (x/y, 1/y) of the point (x, y) of the curve. */
export type PreparedPair = { lines: Pointer; point: Pointer }

/** How T changes: it is doubled, or one of these is added to it. */
type Step = 'double' | 'Q' | 'minusQ' | 'psiQ' | 'minusPsi2Q'

/** The steps from Q to (6x + 2)·Q + ψ(Q) − ψ²(Q). */
const STEPS: readonly Step[] = [
  ...LOOP_DIGITS.slice(0, -1).toReversed().flatMap(stepsOfDigit),
  'psiQ',
  'minusPsi2Q',
]

function stepsOfDigit(digit: number): Step[] {
  if (digit === 0) return ['double']
  return ['double', digit > 0 ? 'Q' : 'minusQ']
}

/** How many lines there are. */
export const LINES = STEPS.length

/** The elements of memory that a loop needs. */
export const MILLER_LOOP_ELEMENTS = 6 + 6 + 2 * 5 + 2

/**
 * The Miller loop of the optimal ate pairing: from P, of which both coordinates are in both lanes, Q, and pairs that
 * are prepared.
 *
 * @see Frederik Vercauteren: Optimal pairings, https://eprint.iacr.org/2008/096
 * @returns false if Q, a point of the twist, is outside the subgroup; then the value means nothing
 */
export type MillerLoop = {
  /** Where the value will be: the product of all pairs, up to factors that the final exponentiation takes away. */
  value: Pointer
  run(p: Pointer, q: Pointer, prepared: readonly PreparedPair[]): boolean
}

export function createMillerLoop(unit: PairingUnit): MillerLoop {
  const { run } = unit
  const value = unit.allocate(6)
  const walk = createWalk(unit)
  return {
    value,
    run(p, q, prepared) {
      setToOne(unit, value)
      walk.start(q)
      STEPS.forEach((step, i) => {
        if (step === 'double' && i > 0) run.squareFp12(value, value)
        walk.take(step, p)
        run.multiplyByLine(value, value, walk.line)
        for (const { lines, point } of prepared)
          run.multiplyByPreparedLine(value, value, elementAt(lines, 2 * i), point)
      })
      return walk.hasEndedInSubgroup()
    },
  }
}

/**
 * Divides each line by its l₀, so that a step is 1 + c₁w + c₃w³ with what depends on the other point left out: two
 * elements for each line. The factors l₀ are in Fp2 and fall to the final exponentiation.
 *
 * @returns where they are
 */
export function prepareLines(unit: PairingUnit, inversion: Inversion, point: G2): Pointer {
  const { run } = unit
  const [q, ones] = [
    writePoint(unit, point),
    writePoint(unit, [
      [1n, 1n],
      [1n, 1n],
    ]),
  ]
  const [lines, norms, divided] = [
    unit.allocate(3 * LINES),
    unit.allocate(LINES),
    unit.allocate(2 * LINES),
  ]
  const walk = createWalk(unit)
  walk.start(q)
  STEPS.forEach((step, i) => {
    walk.take(step, ones)
    copyElements(unit, elementAt(lines, 3 * i), walk.line, 3)
    run.fp2Norm(elementAt(norms, i), walk.line)
  })
  if (!walk.hasEndedInSubgroup()) throw new RangeError('The point is outside the subgroup.')
  invertTogether(
    unit,
    inversion,
    STEPS.map((_, i) => elementAt(norms, i)),
  )
  STEPS.forEach((_, i) => {
    run.divideLine(elementAt(divided, 2 * i), elementAt(lines, 3 * i), elementAt(norms, i))
  })
  return divided
}

/** The walk of T from Q on; `line` is the line of the last step, three elements. */
function createWalk(unit: PairingUnit) {
  const { run } = unit
  const T = unit.allocate(6)
  const [Q, minusQ] = [unit.allocate(2), unit.allocate(2)]
  const [psiQ, minusPsi2Q, psi3Q] = [unit.allocate(2), unit.allocate(2), unit.allocate(2)]
  const difference = unit.allocate(2)
  const added = { Q, minusQ, psiQ, minusPsi2Q }
  return {
    line: elementAt(T, 3),
    start(q: Pointer) {
      copyElements(unit, Q, q, 2)
      copyElements(unit, T, q, 2)
      writeElement(unit, elementAt(T, 2), [1n, 0n])
      run.negatePoint(minusQ, Q)
      run.twistFrobenius(psiQ, Q)
      run.twistFrobenius(minusPsi2Q, psiQ)
      run.twistFrobenius(psi3Q, minusPsi2Q)
      run.negatePoint(minusPsi2Q, minusPsi2Q)
    },
    take(step: Step, p: Pointer) {
      if (step === 'double') run.doublePoint(T, T, p)
      else run.addPoint(T, T, p, added[step])
    },
    /**
     * Whether T is −ψ³(Q), that is, whether (6x + 2 + ψ − ψ² + ψ³)(Q) = 0, which is true of the points of the subgroup
     * only.
     *
     * Of no others: the endomorphism's norm, φ times its conjugate, is an integer. It kills what φ kills, it is prime to
     * the cofactor 2p − r of the twist's order r·(2p − r), and the cofactor is prime to r; so what φ kills has an order
     * that divides r. Of all of them: ψ is multiplication by p there, and 6x + 2 + p − p² + p³ is divisible by r.
     * `test/lib/proof/pairing/argument.test.ts` computes both.
     *
     * T is what it should be unless a step was exceptional: the doubling of a point of order 2, of which there is none,
     * or the addition of T itself, of −T, or to T = 0. By the formulas, Z is 0 after such a step and after every later
     * one: a doubling multiplies Z by something, and so does an addition. So if Z is not 0, no step was exceptional. For
     * Q in the subgroup none is, as T is k·Q with 1 < k < r − 1 when ±Q is added.
     */
    hasEndedInSubgroup(): boolean {
      run.differenceFromNegative(difference, T, psi3Q)
      return areZero(unit, difference, 2) && !areZero(unit, elementAt(T, 2), 1)
    },
  }
}

function setToOne(unit: PairingUnit, pointer: Pointer) {
  unit.floats.fill(0, pointer / 8, elementAt(pointer, 6) / 8)
  writeElement(unit, pointer, [1n, 0n])
}
