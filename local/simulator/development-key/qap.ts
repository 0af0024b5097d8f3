import { modularInverse, modularPower, modulo, r } from '../../../lib/proof/field.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import type { Matrix, R1cs, Term } from './r1cs.ts'

/** A circuit's polynomials (its quadratic arithmetic program) at a secret point, tau. */
export type Qap = Record<Matrix, readonly bigint[]> & {
  /** The number of points through which the polynomials are interpolated, a power of two. */
  domainSize: number
  /** The basis of the quotient: the Lagrange polynomials of the odd points of the doubled domain. */
  h: readonly bigint[]
  /** The terms of a and b, including the rows that bind the public wires. */
  terms: readonly Term[]
}

/**
 * Evaluates a circuit's polynomials (one for each wire and matrix) at tau.
 *
 * Adds a row for the constant and for each public wire to matrix a, so that public inputs cannot be replaced.
 */
export function evaluateQap(circuit: R1cs, tau: bigint): Qap {
  const bits = Math.ceil(Math.log2(circuit.constraints + circuit.publicWires + 1))
  const lagrange = lagrangeAt(tau, bits)
  const terms = [...circuit.terms, ...publicRows(circuit)]
  return {
    ...sumPerWire(terms, lagrange, circuit.wires),
    domainSize: 2 ** bits,
    h: lagrangeAt(tau, bits + 1).filter((_, index) => index % 2 === 1),
    terms: terms.filter(({ matrix }) => matrix !== 'c'),
  }
}

function publicRows({ constraints, publicWires }: R1cs): Term[] {
  return Array.from({ length: publicWires + 1 }, (_, wire) => ({
    matrix: 'a',
    constraint: constraints + wire,
    wire,
    value: 1n,
  }))
}

function sumPerWire(terms: readonly Term[], lagrange: readonly bigint[], wires: number) {
  const zeros = () => Array.from({ length: wires }, () => 0n)
  const sums = { a: zeros(), b: zeros(), c: zeros() }
  for (const { matrix, constraint, wire, value } of terms) {
    const sum = sums[matrix]
    sum[wire] = modulo(
      requireValue(sum[wire], 'the wire') +
        value * requireValue(lagrange[constraint], 'the constraint'),
      r,
    )
  }
  return sums
}

/** Evaluates all Lagrange polynomials of the roots of unity of order 2^bits at tau: (tau^n - 1) w^i / (n (tau - w^i)). */
function lagrangeAt(tau: bigint, bits: number): bigint[] {
  const size = 2n ** BigInt(bits)
  const roots = rootsOfUnity(bits)
  const vanishing = modularPower(tau, size, r) - 1n
  const factor = modulo(vanishing * modularInverse(size, r), r)
  const inverses = invertAll(roots.map((root) => modulo(tau - root, r)))
  return roots.map((root, index) =>
    modulo(modulo(factor * root, r) * requireValue(inverses[index], 'the inverse'), r),
  )
}

function rootsOfUnity(bits: number): bigint[] {
  // 5 generates the field's multiplicative group; r - 1 is divisible by 2^28.
  const root = modularPower(5n, (r - 1n) >> BigInt(bits), r)
  const roots = [1n]
  for (let last = root; roots.length < 2 ** bits; last = modulo(last * root, r)) roots.push(last)
  return roots
}

/** Inverts many numbers at the cost of one inversion (Montgomery's trick). */
function invertAll(numbers: readonly bigint[]): bigint[] {
  const before: bigint[] = []
  let product = 1n
  for (const number of numbers) {
    before.push(product)
    product = modulo(product * number, r)
  }
  let inverse = modularInverse(product, r)
  const inverses = numbers.toReversed().map((number, index) => {
    const result = modulo(inverse * requireValue(before.at(-1 - index), 'the product before'), r)
    inverse = modulo(inverse * number, r)
    return result
  })
  return inverses.reverse()
}
