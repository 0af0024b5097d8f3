import { createHash } from 'node:crypto'
import { type Fp2, p } from '../../../lib/proof/field.ts'

/** A source of pseudorandom numbers. The same seed gives the same numbers. */
export type RandomNumbers = {
  /** 0 to 2^256 − 1 */
  wide(): bigint
  /** `0 <= n < count` */
  below(count: number): number
  pick<T>(items: readonly T[]): T
  /** A random field element, or one near 0, p, p/2 or a power of two, where limbs and carries change. */
  field(): bigint
  pair(): Fp2
}

export function createSeededNumbers(seed: string): RandomNumbers {
  let count = 0
  const wide = () => {
    count += 1
    return BigInt(`0x${createHash('sha256').update(`${seed} ${count}`).digest('hex')}`)
  }
  const below = (limit: number) => Number(wide() % BigInt(limit))
  const pick = <T>(items: readonly T[]) => {
    const item = items[below(items.length)]
    if (item === undefined) throw new RangeError('pick needs at least one item; got none.')
    return item
  }
  const field = () => {
    const nearValues = [0n, p, p / 2n, 1n << BigInt(below(254))]
    const number = below(2) === 0 ? wide() : pick(nearValues) + BigInt(below(7) - 3)
    return ((number % p) + p) % p
  }
  return { wide, below, pick, field, pair: () => [field(), field()] }
}
