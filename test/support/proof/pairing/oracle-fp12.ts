import mcl from 'mcl-wasm'
import type { Fp2 } from '../../../../lib/proof/field.ts'

/** An element of Fp12 as six coefficients in Fp2; the first is the coefficient of 1. */
export type Fp12 = readonly Fp2[]

/** mcl writes Fp12 as two elements of Fp6: the coefficients of w⁰, w², w⁴, and of w¹, w³, w⁵. */
const ORDER = [0, 2, 4, 1, 3, 5]

export function toOracle(a: Fp12) {
  const element = new mcl.GT()
  const numbers = ORDER.flatMap((i) => a[i] ?? [])
  element.setStr(numbers.map((n) => n.toString(16)).join(' '), 16)
  return element
}

export function fromOracle(element: InstanceType<typeof mcl.GT>): Fp12 {
  const numbers = element
    .getStr(16)
    .split(' ')
    .map((text) => BigInt(`0x${text}`))
  const pairs = ORDER.map((i, k) => [i, [numbers[2 * k] ?? 0n, numbers[2 * k + 1] ?? 0n]] as const)
  return pairs.toSorted(([a], [b]) => a - b).map(([, pair]) => pair)
}
