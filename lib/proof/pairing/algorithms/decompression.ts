import type { CompressedProof } from '../../compressed-proof.ts'
import { modularInverse, p } from '../../field.ts'
import type { Inversion } from './inversion.ts'
import {
  elementAt,
  joinLanes,
  type PairingUnit,
  type Pointer,
  spreadLane,
  writeElement,
} from './pairing-unit.ts'

/** The memory that decompression needs, in elements. */
export const DECOMPRESSION_ELEMENTS = 6 * 2

/** The places of a proof's points, each with two elements, x and y. A and C are in the two lanes of one place. */
type Places = { aAndC: Pointer; b: Pointer }

/** Writes the points of a compressed proof. A point that does not exist becomes a point off its curve. */
export type Decompression = (places: Places, words: CompressedProof) => void

/** Creates the decompression, with the formulas of `compressed-proof.ts`. It computes four powers, each in both lanes. */
export function createDecompression(
  unit: PairingUnit,
  { lanes: invertLanes, rootLanes }: Inversion,
): Decompression {
  const { run, floats } = unit
  // Each place has two elements, because `negateElements` negates two.
  const [half, square, root] = [unit.allocate(2), unit.allocate(2), unit.allocate(2)]
  const [sum, opposite, imaginary] = [unit.allocate(2), unit.allocate(2), unit.allocate(2)]
  writeElement(unit, half, [HALF, HALF])

  return ({ aAndC, b }, [a, b0, b1, c]) => {
    writeElement(unit, aAndC, [a >> 1n, c >> 1n])
    writeElement(unit, b, [b1 >> 2n, b0])
    writeCurveRoots(aAndC)
    writeTwistRoot(b, (b1 & 2n) !== 0n)
    applySigns(aAndC, [(a & 1n) !== 0n, (c & 1n) !== 0n])
    const sign = (b1 & 1n) !== 0n
    applySigns(b, [sign, sign])
  }

  /** Writes the square root of x³ + 3, which the curve's equation returns for y = 0. */
  function writeCurveRoots(point: Pointer) {
    clear(elementAt(point, 1))
    run.curveEquation(square, point)
    rootLanes(elementAt(point, 1), square)
  }

  /** Writes the square root of x³ + b′ in Fp2, by the complex method. The hint selects a root of the norm. */
  function writeTwistRoot(point: Pointer, hint: boolean) {
    clear(elementAt(point, 1))
    run.twistEquation(square, point)
    run.fp2Norm(root, square)
    rootLanes(root, root)
    if (!hint) run.negateElements(root, root)
    run.subtractElements(sum, square, root)
    spreadLane(unit, sum, { from: sum, lane: 0 })
    run.multiplyLanes(sum, sum, half)
    rootLanes(root, sum)
    run.negateElements(opposite, root)
    run.subtractElements(sum, root, opposite)
    invertLanes(sum, sum)
    spreadLane(unit, imaginary, { from: square, lane: 1 })
    run.multiplyLanes(imaginary, imaginary, sum)
    joinLanes(unit, elementAt(point, 1), { first: root, second: imaginary })
  }

  /** Negates y in the lanes whose sign is set. */
  function applySigns(point: Pointer, [first, second]: readonly [boolean, boolean]) {
    run.negateElements(opposite, point)
    const [y, negated] = [elementAt(point, 1), elementAt(opposite, 1)]
    joinLanes(unit, y, { first: first ? negated : y, second: second ? negated : y })
  }

  function clear(element: Pointer) {
    floats.fill(0, element / 8, elementAt(element, 1) / 8)
  }
}

const HALF = modularInverse(2n, p)
