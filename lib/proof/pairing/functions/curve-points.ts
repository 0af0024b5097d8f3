import { p } from '../../field.ts'
import { type Arithmetic, defineFunction, type FunctionSet } from '../code/define-function.ts'
import type { Operand } from '../code/element-arithmetic.ts'
import { CURVE_B } from '../field/curve-constants.ts'
import { R } from '../field/limbs.ts'

/** Defines the functions for points of the curve y² = x³ + 3, in homogeneous coordinates, with a point in each lane. */
export function defineCurvePoints(set: FunctionSet): void {
  defineMixedAddition(set)
  defineCompleteAddition(set)
  // x³ + 3 − y²: 0 on the curve.
  defineFunction(set, 'curveEquation', (f) => {
    const point = f.argument()
    const cube = f.laneProducts([f.laneProducts([point(0), point(0)]), point(0)])
    const square = f.laneProducts([point(1), point(1)])
    return [f.reduce(f.subtract(f.add(cube, f.constant([CURVE_B, CURVE_B])), square))]
  })
  defineNumbers(set)
}

/**
 * Defines the sum of any point and an affine point, which is not zero.
 *
 * The formulas are complete: since the order of the group is odd, they hold for every pair of points, also equal, opposite
 * or zero. So no choice of signals can cause an exceptional case.
 *
 * @see Joost Renes, Craig Costello, Lejla Batina: Complete addition formulas for prime order elliptic curves,
 *   https://eprint.iacr.org/2015/1060 (algorithm 8, b₃ = 9)
 */
function defineMixedAddition(set: FunctionSet) {
  defineFunction(set, 'addAffine', (f) => {
    const [T, Q] = [f.argument(), f.argument()]
    const [X, Y, Z, x, y] = [T(0), T(1), T(2), Q(0), Q(1)]
    const [xx, yy] = [f.laneProducts([X, x]), f.laneProducts([Y, y])]
    return completeSum(f, {
      xx,
      yy,
      zz: Z,
      xy: crossed(f, [X, Y], [x, y], [xx, yy]),
      yz: f.reduce(f.add(f.laneProducts([y, Z]), Y)),
      xz: f.reduce(f.add(f.laneProducts([x, Z]), X)),
    })
  })
}

/** Defines the sum of any two points (algorithm 7 of the same paper). */
function defineCompleteAddition(set: FunctionSet) {
  defineFunction(set, 'addProjective', (f) => {
    const [T, Q] = [f.argument(), f.argument()]
    const [X, Y, Z, x, y, z] = [T(0), T(1), T(2), Q(0), Q(1), Q(2)]
    const [xx, yy, zz] = [f.laneProducts([X, x]), f.laneProducts([Y, y]), f.laneProducts([Z, z])]
    return completeSum(f, {
      xx,
      yy,
      zz,
      xy: crossed(f, [X, Y], [x, y], [xx, yy]),
      yz: crossed(f, [Y, Z], [y, z], [yy, zz]),
      xz: crossed(f, [X, Z], [x, z], [xx, zz]),
    })
  })
  // Exchanges the points of the two lanes.
  defineFunction(set, 'exchangeLanes', (f) => {
    const point = f.argument()
    return [f.exchangeLanes(point(0)), f.exchangeLanes(point(1)), f.exchangeLanes(point(2))]
  })
}

type Pair = readonly [Operand, Operand]

/** a·b′ + b·a′ = (a + b)(a′ + b′) − a·a′ − b·b′ */
function crossed(f: Arithmetic, [a, b]: Pair, [a2, b2]: Pair, [aa, bb]: Pair): Operand {
  const product = f.laneProducts([f.add(a, b), f.add(a2, b2)])
  return f.reduce(f.subtract(product, f.add(aa, bb)))
}

/** The products of two points' coordinates: `xx` is x·x′, and `xy` is x·y′ + y·x′. */
type Products = Record<'xx' | 'yy' | 'zz' | 'xy' | 'yz' | 'xz', Operand>

/** Computes equation (2) of the paper with a = 0, the last part of both algorithms. */
function completeSum(f: Arithmetic, { xx, yy, zz, xy, yz, xz }: Products): Operand[] {
  const [threeXx, nineZz] = [f.keep(f.reduce(f.triple(xx))), f.timesNine(zz)]
  const [sum, difference] = [
    f.keep(f.reduce(f.add(yy, nineZz))),
    f.keep(f.reduce(f.subtract(yy, nineZz))),
  ]
  const [kxy, kyz, nineXz] = [f.keep(xy), f.keep(yz), f.keep(f.timesNine(xz))]
  return [
    f.laneProducts([kxy, difference], [f.negate(kyz), nineXz]),
    f.laneProducts([difference, sum], [nineXz, threeXx]),
    f.laneProducts([sum, kyz], [threeXx, kxy]),
  ]
}

/** Defines the operations on two numbers of Fp. */
function defineNumbers(set: FunctionSet) {
  defineFunction(set, 'multiplyLanes', (f) => [f.laneProducts([f.argument()(0), f.argument()(0)])])
  defineFunction(set, 'subtractElements', (f) => [
    f.reduce(f.subtract(f.argument()(0), f.argument()(0))),
  ])
  defineFunction(set, 'negateElements', (f) => {
    const a = f.argument()
    return [f.negate(a(0)), f.negate(a(1))]
  })
  // Converts n to Montgomery form, n·R.
  defineFunction(set, 'enterMontgomery', (f) => {
    const square = R % p
    return [f.laneProducts([f.argument()(0), f.constant([square, square])])]
  })
}
