import { describe, expect, test } from 'vitest'
import { modularInverse, modulo, p } from '../../../../lib/proof/field.ts'
import {
  type Arithmetic,
  beginFunctions,
  defineFunction,
} from '../../../../lib/proof/pairing/code/define-function.ts'
import type { Operand } from '../../../../lib/proof/pairing/code/element-arithmetic.ts'
import { requireExactProducts } from '../../../../lib/proof/pairing/code/kernels.ts'
import {
  ELEMENT_BYTES,
  fromLimbs,
  LIMBS,
  R,
  toLimbs,
} from '../../../../lib/proof/pairing/field/limbs.ts'
import {
  limbSizes,
  REDUCED,
  type Size,
  scaleSize,
  UNIT,
} from '../../../../lib/proof/pairing/field/size.ts'
import { encodeModule } from '../../../../lib/proof/pairing/wasm/wasm-module.ts'
import {
  createSeededNumbers,
  type RandomNumbers,
} from '../../../../trials/fuzz/pairing/random-numbers.ts'

const ROUNDS = 1_000
const inverseOfR = modularInverse(R, p)

type Lanes = readonly [bigint, bigint]

/** Compiles a function of elements. The caller passes each element as limbs, and gets the limbs of the result. */
function compile(body: (f: Arithmetic) => readonly Operand[]) {
  const set = beginFunctions()
  defineFunction(set, 'testFunction', body)
  const memory = new WebAssembly.Memory({ initial: 2 })
  const { exports } = new WebAssembly.Instance(
    new WebAssembly.Module(encodeModule(set.functions)),
    {
      pairing: { memory },
    },
  )
  const floats = new Float64Array(memory.buffer)
  const address = (i: number) => 65_536 + ELEMENT_BYTES * i
  return (elements: readonly (readonly [number[], number[]])[]) => {
    elements.forEach((lanes, i) => {
      lanes.forEach((limbs, lane) => {
        limbs.forEach((limb, k) => {
          floats[address(i + 1) / 8 + 2 * k + lane] = limb
        })
      })
    })
    Reflect.apply(Object(exports.testFunction), null, [
      address(0),
      ...elements.map((_, i) => address(i + 1)),
    ])
    return [0, 1].map((lane) =>
      Array.from({ length: LIMBS }, (_, k) => floats[address(0) / 8 + 2 * k + lane] ?? Number.NaN),
    )
  }
}

/** Returns the limbs of a reduced element, mostly at the bounds of their sizes. */
function extremeLimbs(
  { below, pick: one, wide }: RandomNumbers,
  { limb, value }: Size = REDUCED,
): number[] {
  const largest = Number(limb)
  const edges = [largest, -largest, largest - 1, 1 - largest, 0, -0, 1, -1, largest / 2]
  const any = () => Number(wide() % (2n * limb)) - largest
  const lower = Array.from({ length: LIMBS - 1 }, () => (below(3) === 0 ? any() : one(edges)))
  const low = fromLimbs([...lower, 0])
  const last = 2n ** 204n
  const [highest, lowest] = [(value - low) / last, -((value + low) / last)]
  const top = one([highest, lowest, 0n, lowest + (wide() % (highest - lowest + 1n))])
  return [...lower, Number(top)]
}

function numbersOf(limbs: readonly (readonly number[])[]): Lanes {
  const [first = 0n, second = 0n] = limbs.map(fromLimbs)
  return [first, second]
}

function expectReduced(limbs: readonly (readonly number[])[]) {
  for (const lane of limbs) {
    const value = fromLimbs(lane)
    expect(value <= REDUCED.value && value >= -REDUCED.value).toBe(true)
    expect(lane.slice(0, -1).every((limb) => Math.abs(limb) <= Number(UNIT))).toBe(true)
  }
}

/** Operations with products, each with the number of operands and the same operation on integers, without the division by R. */
const OPERATIONS: Record<string, [(f: Arithmetic) => Operand, number, (...v: Lanes[]) => Lanes]> = {
  'a product in Fp2': [
    (f) => f.products([f.argument()(0), f.argument()(0)]),
    2,
    (a = [0n, 0n], b = [0n, 0n]) => timesFp2(a, b),
  ],
  'a sum of three products in Fp2, each with one doubled factor': [
    (f) => {
      const [a, b, c, d, e, g] = Array.from({ length: 6 }, () => f.argument()(0))
      if (!(a && b && c && d && e && g)) throw new RangeError()
      return f.products([f.double(a), b], [c, f.double(d)], [f.double(e), g])
    },
    6,
    (a = [0n, 0n], b = [0n, 0n], c = [0n, 0n], d = [0n, 0n], e = [0n, 0n], g = [0n, 0n]) => {
      const [x, y, z] = [timesFp2(a, b), timesFp2(c, d), timesFp2(e, g)]
      return [2n * (x[0] + y[0] + z[0]), 2n * (x[1] + y[1] + z[1])]
    },
  ],
  'a square in Fp2': [(f) => f.square(f.argument()(0)), 1, (a = [0n, 0n]) => timesFp2(a, a)],
  'a sum of two products in each lane': [
    (f) => {
      const [a, b, c, d] = Array.from({ length: 4 }, () => f.argument()(0))
      if (!(a && b && c && d)) throw new RangeError()
      return f.laneProducts([f.double(a), f.double(b)], [c, f.negate(d)])
    },
    4,
    (a = [0n, 0n], b = [0n, 0n], c = [0n, 0n], d = [0n, 0n]) => [
      4n * a[0] * b[0] - c[0] * d[0],
      4n * a[1] * b[1] - c[1] * d[1],
    ],
  ],
}

/** Operations without products, each with the same operation on integers. */
const SUMS: Record<string, [(f: Arithmetic, a: Operand) => Operand, (a: Lanes) => Lanes]> = {
  'ξ times an element': [(f, a) => f.timesXi(a), ([a, b]) => [9n * a - b, a + 9n * b]],
  'nine times an element': [(f, a) => f.timesNine(a), ([a, b]) => [9n * a, 9n * b]],
  'six times an element, reduced': [
    (f, a) => f.reduce(f.double(f.triple(a))),
    ([a, b]) => [6n * a, 6n * b],
  ],
  'the conjugate': [(f, a) => f.conjugate(a), ([a, b]) => [a, -b]],
  'an exchange of lanes': [(f, a) => f.exchangeLanes(a), ([a, b]) => [b, a]],
}

describe('operations on limbs and values at their bounds are exact', () => {
  test.each(Object.entries(OPERATIONS))(
    'the generated code computes %s exactly',
    (name, [body, count, integers]) => {
      const numbers = createSeededNumbers(name)
      const run = compile((f) => [body(f)])
      for (let round = 0; round < ROUNDS; round++) {
        const operands = Array.from({ length: count }, () => pairOf(numbers))
        const result = run(operands)
        expectReduced(result)
        const expected = integers(...operands.map(numbersOf)).map((n) => modulo(n * inverseOfR, p))
        expect(numbersOf(result).map((n) => modulo(n, p))).toEqual(expected)
      }
    },
  )

  test.each(Object.entries(SUMS))(
    'the generated code computes %s exactly',
    (name, [body, integers]) => {
      const numbers = createSeededNumbers(name)
      const run = compile((f) => [body(f, f.argument()(0))])
      for (let round = 0; round < ROUNDS; round++) {
        const operand = pairOf(numbers)
        const result = run([operand])
        expectReduced(result)
        const expected = integers(numbersOf(operand)).map((n) => modulo(n, p))
        expect(numbersOf(result).map((n) => modulo(n, p))).toEqual(expected)
      }
    },
  )
})

test('every zero result has only limbs that are 0', () => {
  const numbers = createSeededNumbers('zero')
  const run = compile((f) => [f.reduce(f.subtract(f.argument()(0), f.argument()(0)))])
  for (let round = 0; round < ROUNDS; round++) {
    // An element near p/2 has two reduced representatives.
    const n = p / 2n + (numbers.wide() % (p / 2n ** 14n))
    const [a, b] = [toLimbs(n), toLimbs(n - p)]
    for (const operands of [
      [a, b],
      [b, a],
      [a, a],
    ]) {
      const [first = [], second = []] = operands
      expect(
        run([
          [first, second],
          [second, first],
        ])
          .flat()
          .every((limb) => limb === 0),
      ).toBe(true)
    }
    const notZero = toLimbs(n - p + 1n)
    expect(
      run([
        [a, a],
        [notZero, notZero],
      ])
        .flat()
        .some((limb) => limb !== 0),
    ).toBe(true)
  }
})

describe('the generator checks its bounds', () => {
  const invalidCode: Record<string, (f: Arithmetic, a: Operand) => Operand> = {
    'a product of limbs over 2^102': (f, a) => f.products([f.fourfold(a), f.double(a)]),
    'a sum of products that is too large': (f, a) => {
      const doubled = f.double(a)
      return f.products([doubled, doubled], [doubled, doubled], [doubled, doubled])
    },
    'limbs over 2^53': (f, a) => f.fourfold(f.triple(a)),
    'a reduction with a limb over 2^53 at its start': (f, a) => f.reduce(f.fourfold(f.double(a))),
    'nine times an element whose reduction could start over 2^53': (f, a) => f.timesXi(f.double(a)),
    'a square of an element that is not reduced': (f, a) => f.square(f.double(a)),
    'a result that is not reduced': (f, a) => f.add(a, a),
    'an argument that is taken after the first computation': (f, a) => {
      f.add(a, a)
      return f.argument()(0)
    },
  }
  test.each(Object.entries(invalidCode))('the generator rejects %s', (_fault, body) => {
    expect(() =>
      defineFunction(beginFunctions(), 'wrong', (f) => [body(f, f.argument()(0))]),
    ).toThrow(RangeError)
  })

  test('the generator accepts products with a sum below the limit', () => {
    expect(() =>
      requireExactProducts([[scaleSize(REDUCED, 2n), scaleSize(REDUCED, 2n)]], 2n),
    ).not.toThrow()
  })
})

test('the bound of the last limb follows from the value', () => {
  for (const value of [REDUCED.value, 2n * p, 5n * p]) {
    const [last = 0n] = limbSizes({ limb: UNIT, value }).slice(-1)
    const lastLimb = BigInt(toLimbs(value).at(-1) ?? 0)
    expect(lastLimb).toBeLessThanOrEqual(last)
    expect(last - lastLimb).toBeLessThanOrEqual(1n)
  }
})

function pairOf(numbers: RandomNumbers): [number[], number[]] {
  return [extremeLimbs(numbers), extremeLimbs(numbers)]
}

function timesFp2([a, b]: Lanes, [c, d]: Lanes): Lanes {
  return [a * c - b * d, a * d + b * c]
}
