import type { Fp2 } from '../../field.ts'
import { type Arithmetic, defineFunction, type FunctionSet } from '../code/define-function.ts'
import type { Operand, Place } from '../code/element-arithmetic.ts'
import { FROBENIUS, FROBENIUS_CUBED, FROBENIUS_SQUARED } from '../field/curve-constants.ts'
import { normInLanes } from './lines.ts'

/**
 * Defines the arithmetic in Fp12 = Fp2[w], w⁶ = ξ. An element has six coefficients, the constant first. With
 * Fp6 = Fp2[v], v = w², v³ = ξ, an element is e + d·w, where e and d in Fp6 have the even and the odd coefficients.
 */
export function defineFp12(set: FunctionSet): void {
  defineMultiplication(set)
  defineSquare(set)
  defineCyclotomicSquare(set)
  defineConjugations(set)
  defineInversion(set)
}

type Fp6 = readonly [Operand, Operand, Operand]

/** Defines (e + d·w)(e′ + d′·w), with three products in Fp6 (Karatsuba). */
function defineMultiplication(set: FunctionSet) {
  defineFunction(set, 'multiplyFp12', (f) => {
    const [a, b] = [f.argument(), f.argument()]
    const [ea, da, eb, db] = [evenPart(a), oddPart(a), evenPart(b), oddPart(b)]
    const e = multiplyFp6(f, ea, eb)
    const d = multiplyFp6(f, da, db)
    const mixed = multiplyFp6(
      f,
      mapFp6(ea, da, f.add),
      mapFp6(eb, db, (s, t) => f.reduce(f.add(s, t))),
    )
    return joinedFp12(
      [
        f.reduce(f.add(e[0], f.timesXi(d[2]))),
        f.reduce(f.add(e[1], d[0])),
        f.reduce(f.add(e[2], d[1])),
      ],
      mapFp6(mapFp6(mixed, e, f.subtract), d, (s, t) => f.reduce(f.subtract(s, t))),
    )
  })
}

/** Defines (e + d·w)² = (e + d)(e + v·d) − e·d − v·e·d + 2·e·d·w. */
function defineSquare(set: FunctionSet) {
  defineFunction(set, 'squareFp12', (f) => {
    const a = f.argument()
    const [e, d] = [evenPart(a), oddPart(a)]
    const product = multiplyFp6(f, e, d)
    const shifted = timesV(f, d)
    const sum = multiplyFp6(
      f,
      mapFp6(e, d, f.add),
      mapFp6(e, shifted, (s, t) => f.reduce(f.add(s, t))),
    )
    const both = mapFp6(timesV(f, product), product, f.add)
    return joinedFp12(
      mapFp6(sum, both, (s, t) => f.reduce(f.subtract(s, t))),
      mapFp6(product, product, (s, t) => f.reduce(f.add(s, t))),
    )
  })
}

/**
 * Defines the square of an element with a^(p⁴ − p² + 1) = 1, by three squares in Fp4.
 *
 * @see Robert Granger, Michael Scott: Faster squaring in the cyclotomic subgroup of sixth degree extensions,
 *   https://eprint.iacr.org/2009/565 (section 3.2)
 */
function defineCyclotomicSquare(set: FunctionSet) {
  defineFunction(set, 'squareCyclotomic', (f) => {
    const a = f.argument()
    const [a0, a1, a2, a3, a4, a5] = [a(0), a(1), a(2), a(3), a(4), a(5)]
    const [x3, x4, x5] = [f.keep(f.timesXi(a3)), f.keep(f.timesXi(a4)), f.keep(f.timesXi(a5))]
    // (a₀ + a₃·s)², (a₁ + a₄·s)² and (a₂ + a₅·s)² with s² = ξ; the coefficients of s lack their factor 2.
    const [b0, b3] = [f.products([a0, a0], [a3, x3]), f.products([a0, a3])]
    const [b2, b5] = [f.products([a1, a1], [a4, x4]), f.products([a1, a4])]
    const [b4, b1] = [f.products([a2, a2], [a5, x5]), f.products([a2, x5])]
    const even = (b: Place, old: Place) => f.reduce(f.subtract(f.triple(b), f.double(old)))
    const odd = (b: Place, old: Place) => f.reduce(f.double(f.reduce(f.add(f.triple(b), old))))
    return [even(b0, a0), odd(b1, a1), even(b2, a2), odd(b3, a3), even(b4, a4), odd(b5, a5)]
  })
}

/** Defines the functions that raise to the powers p (Frobenius), p², p³ and p⁶. The power p⁶ of e + d·w is e − d·w. */
function defineConjugations(set: FunctionSet) {
  const frobenius = (name: string, factors: readonly Fp2[], isConjugated: boolean) => {
    defineFunction(set, name, (f) => {
      const a = f.argument()
      return factors.map((factor, i) => {
        const coefficient = isConjugated ? f.conjugate(a(i)) : a(i)
        return f.products([coefficient, f.constant(factor)])
      })
    })
  }
  frobenius('frobenius', FROBENIUS, true)
  frobenius('frobeniusSquared', FROBENIUS_SQUARED, false)
  frobenius('frobeniusCubed', FROBENIUS_CUBED, true)
  defineFunction(set, 'conjugateFp12', (f) => {
    const a = f.argument()
    return [a(0), f.negate(a(1)), a(2), f.negate(a(3)), a(4), f.negate(a(5))]
  })
}

/**
 * Defines two parts of an inversion in Fp6. Between them, the caller inverts a number of Fp. For c = c₀ + c₁v + c₂v²
 * let A = c₀² − ξc₁c₂, B = ξc₂² − c₀c₁, C = c₁² − c₀c₂. Then c·(A + Bv + Cv²) = F = c₀A + ξ(c₂B + c₁C) is in Fp2, and
 * F·F̄ = F₀² + F₁² is in Fp.
 */
function defineInversion(set: FunctionSet) {
  defineFunction(set, 'fp6Adjugate', (f) => {
    const [c0, c1, c2] = evenPart(f.argument())
    const minusXi = (product: Place) => f.negate(f.timesXi(product))
    const A = f.keep(f.reduce(f.add(f.products([c0, c0]), minusXi(f.products([c1, c2])))))
    const B = f.keep(f.reduce(f.subtract(f.timesXi(f.products([c2, c2])), f.products([c0, c1]))))
    const C = f.keep(f.reduce(f.subtract(f.products([c1, c1]), f.products([c0, c2]))))
    const F = f.keep(f.reduce(f.add(f.products([c0, A]), f.timesXi(f.products([c2, B], [c1, C])))))
    const conjugate = f.keep(f.conjugate(F))
    const products = [A, B, C].map((each) => f.products([each, conjugate]))
    return [...products, normInLanes(f, F)]
  })
  defineFunction(set, 'scaleFp6', (f) => {
    const [a, scale] = [f.argument(), f.argument()]
    const product = (i: number) => f.laneProducts([a(i), scale(0)])
    const zero = f.constant([0n, 0n])
    return [product(0), zero, product(1), zero, product(2), zero]
  })
}

/** Multiplies in Fp6, by nine products in Fp2 in three sums. */
function multiplyFp6(f: Arithmetic, a: Fp6, b: Fp6): readonly [Place, Place, Place] {
  const [a0, a1, a2] = [f.keep(a[0]), f.keep(a[1]), f.keep(a[2])]
  const [b0, b1, b2] = [f.keep(b[0]), f.keep(b[1]), f.keep(b[2])]
  const [x1, x2] = [f.keep(f.timesXi(b1)), f.keep(f.timesXi(b2))]
  return [
    f.products([a0, b0], [a1, x2], [a2, x1]),
    f.products([a0, b1], [a1, b0], [a2, x2]),
    f.products([a0, b2], [a1, b1], [a2, b0]),
  ]
}

/** v·(c₀ + c₁v + c₂v²) = ξc₂ + c₀v + c₁v² */
function timesV(f: Arithmetic, [c0, c1, c2]: Fp6): Fp6 {
  return [f.timesXi(c2), c0, c1]
}

function mapFp6(a: Fp6, b: Fp6, combine: (a: Operand, b: Operand) => Operand): Fp6 {
  return [combine(a[0], b[0]), combine(a[1], b[1]), combine(a[2], b[2])]
}

function joinedFp12([e0, e1, e2]: Fp6, [d0, d1, d2]: Fp6): Operand[] {
  return [e0, d0, e1, d1, e2, d2]
}

function evenPart(a: (index: number) => Place): readonly [Place, Place, Place] {
  return [a(0), a(2), a(4)]
}

function oddPart(a: (index: number) => Place): readonly [Place, Place, Place] {
  return [a(1), a(3), a(5)]
}
