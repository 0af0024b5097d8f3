import { beforeAll, describe, expect, test } from 'vitest'
import type { Fp2 } from '../../../../lib/proof/field.ts'
import { p, r } from '../../../../lib/proof/field.ts'
import { curveCompiled, inTwistSubgroup } from '../../../../lib/proof/pairing/mcl-verifier.ts'
import { createSeededNumbers } from '../../../../trials/fuzz/pairing/random-numbers.ts'
import {
  addTwistPoints,
  findPointOfOrder,
  randomTwistPoint,
  SMALL_ORDERS,
  TWIST_ORDER,
} from '../../../../trials/fuzz/pairing/twist-points.ts'
import { pairingParts } from '../../../support/proof/pairing/parts.ts'

const ROUNDS = 2
const cofactor = 2n * p - r
const parts = pairingParts()
const numbers = createSeededNumbers('subgroup')

beforeAll(() => curveCompiled)

test('SMALL_ORDERS divide the cofactor', () => {
  expect(SMALL_ORDERS.map((order) => cofactor % order)).toEqual([0n, 0n, 0n])
})

describe('the Miller loop checks the subgroup', () => {
  const orders = [
    ...SMALL_ORDERS,
    10_069n * 5_864_401n,
    cofactor / SMALL_ORDERS.reduce((product, order) => product * order),
    cofactor,
    TWIST_ORDER,
  ]
  test.each(orders)('the Miller loop and mcl-wasm reject points of order %d', (order) => {
    for (let round = 0; round < ROUNDS; round++) {
      const point = findPointOfOrder(numbers, order)
      expect([parts.isInSubgroup(point), inTwistSubgroup(point)]).toEqual([false, false])
    }
  })

  test.each(SMALL_ORDERS)(
    'the Miller loop and mcl-wasm reject the sum of a point of the subgroup and a point of order %d',
    (order) => {
      for (let round = 0; round < ROUNDS; round++) {
        const sum = addTwistPoints(findPointOfOrder(numbers, r), findPointOfOrder(numbers, order))
        if (!sum) throw new Error('The sum must not be zero, since the orders differ.')
        expect([parts.isInSubgroup(sum), inTwistSubgroup(sum)]).toEqual([false, false])
      }
    },
  )

  test('the Miller loop and mcl-wasm accept points of the subgroup', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const point = findPointOfOrder(numbers, r)
      expect([parts.isInSubgroup(point), inTwistSubgroup(point)]).toEqual([true, true])
    }
  })
})

// The verifier rejects such points earlier, but the Miller loop must not accept them either.
describe('the Miller loop rejects points off the twist', () => {
  test.each<[string, Fp2]>([
    ['y² = x³ + 3', [3n, 0n]],
    ['y² = x³ + 1', [1n, 0n]],
    ['y² = x³ + u', [0n, 1n]],
  ])('the Miller loop rejects points of %s', (_curve, b) => {
    for (let round = 0; round < ROUNDS; round++)
      expect(parts.isInSubgroup(randomTwistPoint(numbers, b))).toBe(false)
  })

  test('the Miller loop rejects (0, 0) and a point with y = 0', () => {
    const zero: Fp2 = [0n, 0n]
    expect(parts.isInSubgroup([zero, zero])).toBe(false)
    expect(parts.isInSubgroup([[5n, 1n], zero])).toBe(false)
  })
})
