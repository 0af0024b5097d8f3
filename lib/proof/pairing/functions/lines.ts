import { type Arithmetic, defineFunction, type FunctionSet } from '../code/define-function.ts'
import type { Operand, Place } from '../code/element-arithmetic.ts'

/** Defines the products of an element of Fp12 and a line l₀ + l₁w + l₃w³. */
export function defineLines(set: FunctionSet): void {
  defineFunction(set, 'multiplyByLine', (f) => {
    const [a, line] = [f.argument(), f.argument()]
    const [l0, l1, l3] = [line(0), line(1), line(2)]
    const [x1, x3] = [f.keep(f.timesXi(l1)), f.keep(f.timesXi(l3))]
    return [
      f.products([a(0), l0], [a(5), x1], [a(3), x3]),
      f.products([a(1), l0], [a(0), l1], [a(4), x3]),
      f.products([a(2), l0], [a(1), l1], [a(5), x3]),
      f.products([a(3), l0], [a(2), l1], [a(0), l3]),
      f.products([a(4), l0], [a(3), l1], [a(1), l3]),
      f.products([a(5), l0], [a(4), l1], [a(2), l3]),
    ]
  })
  // The line of a fixed point of the twist is 1 + c₁·(x/y)·w + c₃·(1/y)·w³, for the point (x, y) of the curve.
  defineFunction(set, 'multiplyByPreparedLine', (f) => {
    const [a, line, point] = [f.argument(), f.argument(), f.argument()]
    const l1 = f.laneProducts([line(0), point(0)])
    const l3 = f.laneProducts([line(1), point(1)])
    const [x1, x3] = [f.keep(f.timesXi(l1)), f.keep(f.timesXi(l3))]
    const plus = (old: Place, products: Place): Operand => f.reduce(f.add(old, products))
    return [
      plus(a(0), f.products([a(5), x1], [a(3), x3])),
      plus(a(1), f.products([a(0), l1], [a(4), x3])),
      plus(a(2), f.products([a(1), l1], [a(5), x3])),
      plus(a(3), f.products([a(2), l1], [a(0), l3])),
      plus(a(4), f.products([a(3), l1], [a(1), l3])),
      plus(a(5), f.products([a(4), l1], [a(2), l3])),
    ]
  })
  definePreparation(set)
}

/** Defines two parts of the division of a line by l₀. Between them, the caller inverts the norm of l₀ in Fp. */
function definePreparation(set: FunctionSet) {
  defineFunction(set, 'fp2Norm', (f) => [normInLanes(f, f.argument()(0))])
  defineFunction(set, 'divideLine', (f) => {
    const [line, inverseNorm] = [f.argument(), f.argument()]
    const inverse = f.laneProducts([f.conjugate(line(0)), inverseNorm(0)])
    return [f.products([line(1), inverse]), f.products([line(2), inverse])]
  })
}

/** Computes the norm of a, a₀² + a₁², in both lanes. */
export function normInLanes(f: Arithmetic, a: Place): Operand {
  const squares = f.laneProducts([a, a])
  return f.reduce(f.add(squares, f.exchangeLanes(squares)))
}
