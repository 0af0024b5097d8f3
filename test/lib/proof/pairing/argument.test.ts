import { checkPrimeSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { modularPower, modulo, p, r } from '../../../../lib/proof/field.ts'
import { LOOP_DIGITS, x } from '../../../../lib/proof/pairing/field/loop-digits.ts'

/** Computes the arguments of docs/pairing.md with integers. */

/** The trace t of the Frobenius map: ψ² − t·ψ + p = 0. */
const t = 6n * x ** 2n + 1n
/** The order of the twist, divided by r. */
const cofactor = 2n * p - r

describe('the curve has the properties that docs/pairing.md states', () => {
  test('p, r and the trace follow from the parameter x', () => {
    expect(p).toBe(36n * x ** 4n + 36n * x ** 3n + 24n * x ** 2n + 6n * x + 1n)
    expect(r).toBe(36n * x ** 4n + 36n * x ** 3n + 18n * x ** 2n + 6n * x + 1n)
    expect(r).toBe(p + 1n - t)
  })

  test('the curve and the twist have no point of order 2', () => {
    expect(r % 2n).toBe(1n)
    expect(cofactor % 2n).toBe(1n)
  })

  test('the field and the order of the curve are prime', () => {
    expect([p, r].map((n) => checkPrimeSync(n))).toEqual([true, true])
  })
})

describe('the endomorphism φ = 6x + 2 + ψ − ψ² + ψ³ identifies the subgroup', () => {
  test('φ is zero on the subgroup, where ψ multiplies by p', () => {
    expect(modulo(6n * x + 2n + p - p ** 2n + p ** 3n, r)).toBe(0n)
  })

  test('φ is zero only on the subgroup: its norm is prime to the cofactor, which is prime to r', () => {
    // With ψ² = t·ψ − p and ψ³ = (t² − p)·ψ − t·p, φ is c₀ + c₁ψ. Its norm is c₀² + t·c₀c₁ + p·c₁².
    const c0 = 6n * x + 2n + p - t * p
    const c1 = 1n - t + t ** 2n - p
    const norm = c0 ** 2n + t * c0 * c1 + p * c1 ** 2n
    expect(norm % r).toBe(0n)
    expect(greatestDivisor(norm, cofactor)).toBe(1n)
    expect(greatestDivisor(cofactor, r)).toBe(1n)
  })

  test('LOOP_DIGITS are the digits of 6x + 2, and of two neighbours one is 0', () => {
    const value = LOOP_DIGITS.reduceRight((sum, digit) => 2n * sum + BigInt(digit), 0n)
    expect(value).toBe(6n * x + 2n)
    expect(LOOP_DIGITS.at(-1)).toBe(1)
    expect(LOOP_DIGITS.some((digit, i) => digit !== 0 && LOOP_DIGITS[i + 1])).toBe(false)
  })

  test('the Miller loop has no exceptional step for a point of the subgroup', () => {
    // T is k·Q before the addition of m·Q. The step is exceptional if k is m, −m or 0 modulo r.
    let k = 1n
    const add = (m: bigint) => {
      for (const exception of [0n, m, -m]) expect(modulo(k - exception, r)).not.toBe(0n)
      k += m
    }
    for (const digit of LOOP_DIGITS.slice(0, -1).toReversed()) {
      k *= 2n
      if (digit !== 0) add(BigInt(digit))
    }
    add(p)
    add(-(p ** 2n))
    expect(modulo(k + p ** 3n, r)).toBe(0n)
  })
})

describe('the final exponent is a product of two parts', () => {
  const phi = p ** 4n - p ** 2n + 1n

  test('(p⁶ − 1)(p² + 1) divides the exponent, and after this power a^(p⁶) is the inverse', () => {
    expect(((p ** 12n - 1n) / phi) % ((p ** 6n - 1n) * (p ** 2n + 1n))).toBe(0n)
    expect(modulo(p ** 6n + 1n, phi)).toBe(0n)
  })

  test('the exponent of the chain is (p⁴ − p² + 1)/r times a number prime to r', () => {
    const exponent = hardPart(phi)
    expect(exponent % (phi / r)).toBe(0n)
    expect(greatestDivisor(exponent / (phi / r), r)).toBe(1n)
  })

  /** Computes the chain of `final-exponentiation.ts` with exponents instead of powers. */
  function hardPart(modulus: bigint): bigint {
    const t0 = -2n * x
    const t1 = 3n * t0
    const t2 = -x * t1
    const t4 = t2 - t1 + x * 2n * t2
    const t3 = t0 + t4
    const lowerPowers = 1n + t2 + t4 + p * t3 + p ** 2n * t4
    return modulo(lowerPowers + p ** 3n * (t3 - 1n), modulus)
  }
})

test('w⁶ − ξ is irreducible: 6 divides p − 1, and ξ = 9 + u is neither a square nor a cube', () => {
  // An element of Fp2 is a square or a cube only if its norm, here 82, is a square or a cube in Fp.
  expect((p - 1n) % 6n).toBe(0n)
  expect(modularPower(82n, (p - 1n) / 2n, p)).not.toBe(1n)
  expect(modularPower(82n, (p - 1n) / 3n, p)).not.toBe(1n)
})

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [first, second] = [a < 0n ? -a : a, b]
  while (second !== 0n) [first, second] = [second, first % second]
  return first
}
