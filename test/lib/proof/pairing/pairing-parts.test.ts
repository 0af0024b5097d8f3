import mcl from 'mcl-wasm'
import { beforeAll, describe, expect, test } from 'vitest'
import type { G1 } from '../../../../lib/proof/field.ts'
import { modulo, p, r } from '../../../../lib/proof/field.ts'
import { ceremonyKeys } from '../../../../lib/proof/keys.ts'
import { curveCompiled } from '../../../../lib/proof/pairing/mcl-verifier.ts'
import { timesCurvePoint, timesTwistPoint } from '../../../../trials/fuzz/pairing/oracle-points.ts'
import { createSeededNumbers } from '../../../../trials/fuzz/pairing/random-numbers.ts'
import { type Fp12, fromOracle, toOracle } from '../../../support/proof/pairing/oracle-fp12.ts'
import { pairingParts } from '../../../support/proof/pairing/parts.ts'

const parts = pairingParts()
const G: G1 = [1n, 2n]
const ONE: Fp12 = [[1n, 0n], ...Array.from({ length: 5 }, () => [0n, 0n] as const)]
const [beta] = [...ceremonyKeys.values()].map((key) => key.beta)

beforeAll(() => curveCompiled)

describe('operations in Fp12 are correct for elements near 0, p, p/2 and powers of two', () => {
  test('products and squares equal the results of mcl-wasm', () => {
    const numbers = createSeededNumbers('fp12')
    for (let round = 0; round < 400; round++) {
      const [a, b] = [elementOf(numbers), elementOf(numbers)]
      expect(parts.fp12('multiplyFp12', a, b)).toEqual(
        fromOracle(mcl.mul(toOracle(a), toOracle(b))),
      )
      expect(parts.fp12('squareFp12', a)).toEqual(fromOracle(mcl.sqr(toOracle(a))))
    }
  })

  test('an element times its inverse is 1, and the inverse of zero is zero', () => {
    const numbers = createSeededNumbers('inverse')
    for (let round = 0; round < 40; round++) {
      const a = elementOf(numbers)
      expect(parts.fp12('multiplyFp12', a, parts.inverse(a))).toEqual(ONE)
    }
    const zero = ONE.map(() => [0n, 0n] as const)
    expect(parts.inverse(zero)).toEqual(zero)
  })

  test('the Frobenius map is a homomorphism, and the functions of its powers are correct', () => {
    const numbers = createSeededNumbers('frobenius')
    for (let round = 0; round < 20; round++) {
      const [a, b] = [elementOf(numbers), elementOf(numbers)]
      const frobenius = (value: Fp12) => parts.fp12('frobenius', value)
      expect(frobenius(parts.fp12('multiplyFp12', a, b))).toEqual(
        parts.fp12('multiplyFp12', frobenius(a), frobenius(b)),
      )
      const twice = frobenius(frobenius(a))
      expect(parts.fp12('frobeniusSquared', a)).toEqual(twice)
      expect(parts.fp12('frobeniusCubed', a)).toEqual(frobenius(twice))
      expect(parts.fp12('conjugateFp12', a)).toEqual(
        parts.fp12('frobeniusCubed', parts.fp12('frobeniusCubed', a)),
      )
    }
  })
})

describe('the pairing is bilinear', () => {
  test('the pairing is bilinear, and not always 1', () => {
    if (!beta) throw new Error('ceremonyKeys has no key.')
    expect(parts.pairing(G, beta)).not.toEqual(ONE)
    const numbers = createSeededNumbers('bilinear')
    for (let round = 0; round < 20; round++) {
      const [k, l] = [1n + (numbers.wide() % (r - 1n)), 1n + (numbers.wide() % (r - 1n))]
      const [P, Q] = [timesCurvePoint(G, k), timesTwistPoint(beta, l)]
      const multiple = timesTwistPoint(beta, modulo(k * l, r))
      if (!(P && Q && multiple)) throw new Error('The factors must not be zero.')
      expect(parts.pairing(P, Q)).toEqual(parts.pairing(G, multiple))
    }
  })

  test('squareCyclotomic and squareFp12 agree on values of the pairing', () => {
    if (!beta) throw new Error('ceremonyKeys has no key.')
    let value = parts.pairing(G, beta)
    for (let round = 0; round < 200; round++) {
      const square = parts.fp12('squareCyclotomic', value)
      expect(square).toEqual(parts.fp12('squareFp12', value))
      value = square
    }
  })

  test('the pairing of P and −Q is the inverse of the pairing of P and Q', () => {
    if (!beta) throw new Error('ceremonyKeys has no key.')
    const [x, [a, b]] = beta
    const value = parts.pairing(G, beta)
    const opposite = parts.pairing(G, [x, [modulo(-a, p), modulo(-b, p)]])
    expect(parts.fp12('multiplyFp12', value, opposite)).toEqual(ONE)
    expect(parts.inverse(value)).toEqual(opposite)
  })
})

function elementOf(numbers: ReturnType<typeof createSeededNumbers>): Fp12 {
  return Array.from({ length: 6 }, numbers.pair)
}
