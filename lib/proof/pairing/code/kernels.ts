import { p } from '../../field.ts'
import { LIMBS } from '../field/limbs.ts'
import { largestLimb, REDUCED, requireAtMost, type Size, scaleSize } from '../field/size.ts'
import {
  addParameter,
  appendCode,
  beginFunction,
  type FunctionCode,
  holdConstant,
  holdValue,
} from '../wasm/function-code.ts'
import { type Code, f64x2, readLocal, v128 } from '../wasm/instructions.ts'
import { LARGEST_PRODUCT } from './exact-product.ts'
import { type LimbProduct, sumOfProducts } from './montgomery.ts'
import { reduceColumns } from './reduction.ts'

/**
 * The largest allowed magnitude of a sum of products in a lane. Below it, the sum's last column and quotient are exact.
 */
const LARGEST_SUM = (9n * p * p) / 2n

/**
 * Returns the functions that compute all products. The first parameter points to the reduced result, which may
 * overwrite an operand.
 */
export function multiplicationKernels(): FunctionCode[] {
  return [
    ...[1, 2, 3].map((terms) => kernel(`fp2Products${terms}`, terms, fp2Terms)),
    ...[1, 2].map((terms) => kernel(`laneProducts${terms}`, terms, laneTerms)),
    squareKernel(),
  ]
}

/** @throws RangeError if a sum of products of elements with these sizes could be inexact */
export function requireExactProducts(
  products: readonly (readonly [Size, Size])[],
  perLane: bigint,
) {
  for (const [a, b] of products)
    requireAtMost(largestLimb(a) * largestLimb(b), LARGEST_PRODUCT, 'a product of limbs')
  const sum = products.reduce((total, [a, b]) => total + perLane * a.value * b.value, 0n)
  requireAtMost(sum, LARGEST_SUM, 'a sum of products')
}

type Terms = (code: FunctionCode, a: Code, b: Code) => LimbProduct[]

/** Builds the kernel that computes Σ a·b for `count` pairs of pointers. */
function kernel(name: string, count: number, terms: Terms): FunctionCode {
  const code = beginFunction(name)
  const pointers = Array.from({ length: count }, () => {
    const [a, b] = [addParameter(code), addParameter(code)]
    return { a: readLocal(a), b: readLocal(b) }
  })
  return finish(
    code,
    pointers.flatMap(({ a, b }) => terms(code, a, b)),
  )
}

/** (a₀b₀ − a₁b₁, a₀b₁ + a₁b₀) = a₀·(b₀, b₁) + a₁·(−b₁, b₀) */
function fp2Terms(code: FunctionCode, a: Code, b: Code): LimbProduct[] {
  const limbs = loadLimbs(code, b)
  return [
    { a: bothLanes(a, 0), b: limbs },
    { a: bothLanes(a, 8), b: limbs.map((limb) => holdValue(code, timesImaginaryUnit(code, limb))) },
  ]
}

/** (a₀b₀, a₁b₁) */
function laneTerms(code: FunctionCode, a: Code, b: Code): LimbProduct[] {
  return [{ a: limbOffsets().map((at) => v128.load(a, at)), b: loadLimbs(code, b) }]
}

/** a² = ((a₀ + a₁)(a₀ − a₁), 2a₁·a₀): a single product in each lane. */
function squareKernel(): FunctionCode {
  const code = beginFunction('fp2Square')
  const pointer = readLocal(addParameter(code))
  requireExactProducts([[scaleSize(REDUCED, 2n), scaleSize(REDUCED, 2n)]], 1n)
  const limbs = loadLimbs(code, pointer)
  const first = holdConstant(code, (1n << 64n) - 1n, 0n)
  const sums = limbs.map((limb) => f64x2.add(limb, v128.firstAndSecond(v128.exchange(limb), limb)))
  const differences = limbs.map((limb) =>
    f64x2.add(v128.firstLanes(limb, limb), v128.and(timesImaginaryUnit(code, limb), first)),
  )
  return finish(code, [{ a: sums, b: differences.map((limb) => holdValue(code, limb)) }])
}

function finish(code: FunctionCode, products: readonly LimbProduct[]): FunctionCode {
  const { limbs, size } = reduceColumns(code, sumOfProducts(code, products, LARGEST_SUM))
  requireAtMost(size.value, REDUCED.value, `the result of ${code.name}`)
  limbs.forEach((limb, i) => {
    appendCode(code, v128.store(readLocal(0), 16 * i, limb))
  })
  return code
}

/** (−a₁, a₀) */
export function timesImaginaryUnit(code: FunctionCode, limb: Code): Code {
  return v128.xor(v128.exchange(limb), holdConstant(code, SIGN, 0n))
}

/** The sign bit of a float. */
export const SIGN = 1n << 63n

export function loadLimbs(code: FunctionCode, pointer: Code, offset = 0): Code[] {
  return limbOffsets().map((at) => holdValue(code, v128.load(pointer, offset + at)))
}

function bothLanes(pointer: Code, lane: number): Code[] {
  return limbOffsets().map((at) => v128.loadBoth(pointer, at + lane))
}

function limbOffsets(): number[] {
  return Array.from({ length: LIMBS }, (_, i) => 16 * i)
}
