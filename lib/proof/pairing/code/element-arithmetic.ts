import type { Fp2 } from '../../field.ts'
import { itemAt, LIMBS, toMontgomery } from '../field/limbs.ts'
import {
  addSizes,
  largestLimb,
  limbSizes,
  REDUCED,
  requireAtMost,
  type Size,
  scaleSize,
  UNIT,
} from '../field/size.ts'
import {
  bitsOfFloat,
  type FunctionCode,
  holdConstant,
  holdFloat,
  holdValue,
} from '../wasm/function-code.ts'
import { type Code, f64x2, v128 } from '../wasm/instructions.ts'
import { LARGEST_PRODUCT, negatedHighOfNine } from './exact-product.ts'
import { loadLimbs, SIGN, timesImaginaryUnit } from './kernels.ts'
import { type Element, LARGEST_INTEGER, reduceElement } from './reduction.ts'

/** An element in memory. */
export type Place = {
  pointer: Code
  offset: number
  size: Size
  /** True for an argument of the function, false for a computed element. */
  isArgument: boolean
}

export type Operand = Element | Place

/** Loads an operand into locals. */
export function inLocals(code: FunctionCode, operand: Operand): Element {
  if ('limbs' in operand) return operand
  return { limbs: loadLimbs(code, operand.pointer, operand.offset), size: operand.size }
}

/** Creates additions and multiplications by small numbers. They are exact for limbs up to 2^53. */
export function createElementArithmetic(code: FunctionCode) {
  const both = (a: Operand, b: Operand, operation: typeof f64x2.add): Element => {
    const [first, second] = [inLocals(code, a), inLocals(code, b)]
    return element(
      code,
      first.limbs.map((limb, i) => operation(limb, itemAt(second.limbs, i))),
      addSizes(first.size, second.size),
    )
  }
  const each = (a: Operand, change: (limb: Code) => Code, factor = 1n): Element => {
    const { limbs, size } = inLocals(code, a)
    return element(code, limbs.map(change), scaleSize(size, factor))
  }
  const times = (factor: number) => (a: Operand) =>
    each(a, (limb) => f64x2.multiply(limb, holdFloat(code, factor)), BigInt(factor))
  return {
    add: (a: Operand, b: Operand) => both(a, b, f64x2.add),
    subtract: (a: Operand, b: Operand) => both(a, b, f64x2.subtract),
    double: times(2),
    triple: times(3),
    fourfold: times(4),
    negate: (a: Operand) => each(a, f64x2.negate),
    /** a₀ − a₁·u */
    conjugate: (a: Operand) => each(a, (limb) => v128.xor(limb, holdConstant(code, 0n, SIGN))),
    exchangeLanes: (a: Operand) => each(a, v128.exchange),
    /** Returns a representative of the element that is at most slightly larger than p/2, with balanced limbs. */
    reduce: (a: Operand) => reduceElement(code, inLocals(code, a)),
    /** (9 + u)·a, reduced */
    timesXi: (a: Operand) => {
      const { limbs, size } = inLocals(code, a)
      const product = { limbs: limbs.map((limb) => timesImaginaryUnit(code, limb)), size }
      return reduceElement(code, nineTimesPlus(code, { limbs, size }, product))
    },
    /** 9·a, reduced */
    timesNine: (a: Operand) => reduceElement(code, nineTimesPlus(code, inLocals(code, a))),
    /** Returns a constant of Fp2. Pass a number twice to have it in both lanes. */
    constant: (value: Fp2) => constantElement(code, value),
  }
}

/** Creates an element, with its limbs in locals. */
function element(code: FunctionCode, limbs: readonly Code[], size: Size): Element {
  requireAtMost(largestLimb(size), LARGEST_INTEGER, 'a limb')
  return { limbs: limbs.map((limb) => holdValue(code, limb)), size }
}

/**
 * Computes 9·a + b. Nine times a limb can exceed 53 bits. So a multiply-add computes the part above the digit. This
 * carry is subtracted before b is added, and is added to the next limb.
 */
function nineTimesPlus(code: FunctionCode, a: Element, b?: Element): Element {
  requireAtMost(9n * a.size.limb, LARGEST_PRODUCT, 'nine times a limb')
  const nine = holdFloat(code, 9)
  let negatedCarry: Code | undefined
  const limbs = a.limbs.map((limb, i) => {
    const high = negatedHighOfNine(code, limb)
    const isLast = i === LIMBS - 1
    const negatedHigh = isLast ? undefined : holdValue(code, high)
    const product = negatedHigh
      ? f64x2.multiplyAdd(limb, nine, negatedHigh)
      : f64x2.multiply(limb, nine)
    const sum = b ? f64x2.add(product, itemAt(b.limbs, i)) : product
    const whole = negatedCarry ? subtractCarry(code, sum, negatedCarry) : sum
    negatedCarry = negatedHigh
    return holdValue(code, whole)
  })
  const carry = (9n * a.size.limb) / (2n * UNIT) + 1n
  const bSize = b?.size ?? { limb: 0n, value: 0n }
  const last = (size: Size) => itemAt(limbSizes(size), LIMBS - 1)
  requireAtMost(9n * last(a.size) + last(bSize), LARGEST_INTEGER, 'nine times the last limb')
  const size = addSizes({ limb: UNIT + carry, value: 9n * a.size.value }, bSize)
  return element(code, limbs, size)
}

function subtractCarry(code: FunctionCode, limb: Code, negatedDigits: Code): Code {
  return f64x2.multiplySubtract(negatedDigits, holdFloat(code, 2 ** -51), limb)
}

function constantElement(code: FunctionCode, [first, second]: Fp2): Element {
  const [a, b] = [toMontgomery(first), toMontgomery(second)]
  const limbs = a.map((limb, i) => holdConstant(code, bitsOfFloat(limb), bitsOfFloat(itemAt(b, i))))
  return { limbs, size: REDUCED }
}
