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

/**
 * A pair with a fixed point of the twist: the lines of this point, and (x/y, 1/y) for the point (x, y) of the curve.
 */
export type PreparedPair = { lines: Pointer; point: Pointer }

/** A step doubles T, or adds this point to T. */
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

/** The number of lines. */
export const LINES = STEPS.length

/** The memory that a loop needs, in elements. */
export const MILLER_LOOP_ELEMENTS = 6 + 6 + 2 * 5 + 2

/**
 * The Miller loop of the optimal ate pairing, for a pair (P, Q) and prepared pairs. P has each coordinate in both
 * lanes.
 *
 * @see Frederik Vercauteren: Optimal pairings, https://eprint.iacr.org/2008/096
 * @returns false if Q, a point of the twist, is outside the subgroup; the value is then meaningless
 */
export type MillerLoop = {
  /** The product of the values of all pairs, up to factors that the final exponentiation removes. */
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
 * Computes the lines of a fixed point, each divided by its l₀: 1 + c₁w + c₃w³. The coordinates of the other point are
 * multiplied in later. A line takes two elements, c₁ and c₃. The division by l₀ does no harm, because the final
 * exponentiation removes all factors in Fp2.
 *
 * @returns the pointer to the lines
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
  const [lines, norms, quotients] = [
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
    run.divideLine(elementAt(quotients, 2 * i), elementAt(lines, 3 * i), elementAt(norms, i))
  })
  return quotients
}

/** Creates the walk of T, which starts at Q. `line` is the line of the last step: three elements. */
function createWalk(unit: PairingUnit) {
  const { run } = unit
  const T = unit.allocate(6)
  const [Q, minusQ] = [unit.allocate(2), unit.allocate(2)]
  const [psiQ, minusPsi2Q, psi3Q] = [unit.allocate(2), unit.allocate(2), unit.allocate(2)]
  const difference = unit.allocate(2)
  const summands = { Q, minusQ, psiQ, minusPsi2Q }
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
      else run.addPoint(T, T, p, summands[step])
    },
    /**
     * True if T = −ψ³(Q), that is φ(Q) = 0 for φ = 6x + 2 + ψ − ψ² + ψ³. This holds exactly for the points Q of the
     * subgroup.
     *
     * It holds for no other point: the norm of φ, which is φ times its conjugate, is an integer, so φ(Q) = 0 implies
     * norm·Q = 0. The twist has the order r·(2p − r). The norm is prime to the cofactor 2p − r, and the cofactor is
     * prime to r. So the order of Q divides r. It holds for every point of the subgroup: there, ψ multiplies by p, and
     * 6x + 2 + p − p² + p³ is divisible by r. `test/lib/proof/pairing/argument.test.ts` computes both.
     *
     * T is correct unless a step was exceptional. A doubling is exceptional for a point of order 2, which does not
     * exist. An addition is exceptional if it adds T or −T to T, or if T is 0. After an exceptional step Z is 0 by the
     * formulas. Z then stays 0, because every later step multiplies Z by a factor. So if Z is not 0, no step was
     * exceptional. For Q in the subgroup no step is exceptional: if T is k·Q when m·Q is added, k is not 0, m or −m modulo
     * r.
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
