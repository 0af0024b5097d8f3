import { defineFunction, type FunctionSet } from '../code/define-function.ts'
import { FROBENIUS, TWIST_B } from '../field/curve-constants.ts'
import { multiplyFp2 } from '../field/fp2.ts'
import { itemAt } from '../field/limbs.ts'

/** Defines the functions for points of the twist y² = x³ + b′, in homogeneous coordinates: (X, Y, Z) is (X/Z, Y/Z). */
export function defineTwistPoints(set: FunctionSet): void {
  defineDoubling(set)
  defineAddition(set)
  defineEndomorphism(set)
  defineFunction(set, 'negatePoint', (f) => {
    const point = f.argument()
    return [point(0), f.negate(point(1))]
  })
  // x³ + b′ − y²: 0 on the twist.
  defineFunction(set, 'twistEquation', (f) => {
    const point = f.argument()
    const cube = f.products([f.square(point(0)), point(0)])
    return [f.reduce(f.subtract(f.add(cube, f.constant(TWIST_B)), f.square(point(1))))]
  })
}

/**
 * Defines the doubling of T: the results are 2T and the tangent at T, evaluated at P, six elements in total. P = (x, y)
 * is a point of the curve with each coordinate in both lanes.
 *
 * If T has order 2 or is zero, Z of the result is 0; see `miller-loop.ts`.
 *
 * @see Craig Costello, Tanja Lange, Michael Naehrig: Faster pairing computations on curves with high-degree twists,
 *   https://eprint.iacr.org/2009/615 (section 5; multiplied by 4 here, so that there are no halves)
 */
function defineDoubling(set: FunctionSet) {
  defineFunction(set, 'doublePoint', (f) => {
    const [T, P] = [f.argument(), f.argument()]
    const [X, Y, Z] = [T(0), T(1), T(2)]
    const B = f.square(Y)
    const E = f.products([f.square(Z), f.constant(multiplyFp2([3n, 0n], TWIST_B))])
    const H = f.keep(f.reduce(f.double(f.products([Y, Z]))))
    const G = f.square(f.keep(f.reduce(f.add(B, f.triple(E)))))
    const D = f.reduce(f.subtract(B, f.triple(E)))
    const twelveE2 = f.triple(f.reduce(f.fourfold(f.square(E))))
    return [
      f.products([f.double(f.products([X, Y])), D]),
      f.reduce(f.subtract(G, twelveE2)),
      f.products([f.reduce(f.fourfold(B)), H]),
      f.laneProducts([f.negate(H), P(1)]),
      f.laneProducts([f.reduce(f.triple(f.square(X))), P(0)]),
      f.reduce(f.subtract(E, B)),
    ]
  })
}

/**
 * Defines the addition of T and an affine point Q: the results are T + Q and the line through T and Q, evaluated at P,
 * six elements in total.
 *
 * If T is Q, −Q or zero, Z of the result is 0; see `miller-loop.ts`.
 *
 * @see the same paper, section 5
 */
function defineAddition(set: FunctionSet) {
  defineFunction(set, 'addPoint', (f) => {
    const [T, P, Q] = [f.argument(), f.argument(), f.argument()]
    const [X, Y, Z, x, y] = [T(0), T(1), T(2), Q(0), Q(1)]
    const O = f.keep(f.reduce(f.subtract(Y, f.products([y, Z]))))
    const L = f.keep(f.reduce(f.subtract(X, f.products([x, Z]))))
    const D = f.square(L)
    const E = f.products([L, D])
    const F = f.products([Z, f.square(O)])
    const G = f.products([X, D])
    const H = f.keep(f.reduce(f.subtract(f.add(E, F), f.double(G))))
    return [
      f.products([L, H]),
      f.products([f.subtract(G, H), O], [f.negate(Y), E]),
      f.products([E, Z]),
      f.laneProducts([L, P(1)]),
      f.laneProducts([f.negate(O), P(0)]),
      f.products([x, O], [f.negate(L), y]),
    ]
  })
}

/**
 * Defines the endomorphism ψ, which is the Frobenius map of the curve on the twist: (x̄·ξ^((p−1)/3), ȳ·ξ^((p−1)/2)).
 * Also defines the comparison of T with −(x, y): (x·Z − X, y·Z + Y) is zero if they are equal.
 */
function defineEndomorphism(set: FunctionSet) {
  defineFunction(set, 'twistFrobenius', (f) => {
    const point = f.argument()
    return [
      f.products([f.conjugate(point(0)), f.constant(itemAt(FROBENIUS, 2))]),
      f.products([f.conjugate(point(1)), f.constant(itemAt(FROBENIUS, 3))]),
    ]
  })
  defineFunction(set, 'differenceFromNegative', (f) => {
    const [T, point] = [f.argument(), f.argument()]
    return [
      f.reduce(f.subtract(f.products([point(0), T(2)]), T(0))),
      f.reduce(f.add(f.products([point(1), T(2)]), T(1))),
    ]
  })
}
