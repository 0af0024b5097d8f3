import { createHash } from 'node:crypto'
import { type Fp2, p } from '../../../lib/proof/field.ts'

/** A source of numbers that are the same in each run with the same seed. */
export type RandomNumbers = {
  /** 0 to 2^256 − 1 */
  wide(): bigint
  /** `0 <= n < count` */
  below(count: number): number
  one<T>(items: readonly T[]): T
  /** An element of the field: any, or near 0, p, p/2, or a power of two, where limbs and carries change. */
  field(): bigint
  pair(): Fp2
}

export function seededNumbers(seed: string): RandomNumbers {
  let count = 0
  const wide = () => {
    count += 1
    return BigInt(`0x${createHash('sha256').update(`${seed} ${count}`).digest('hex')}`)
  }
  const below = (limit: number) => Number(wide() % BigInt(limit))
  const one = <T>(items: readonly T[]) => {
    const item = items[below(items.length)]
    if (item === undefined) throw new RangeError('There is nothing to choose from.')
    return item
  }
  const field = () => {
    const near = [0n, p, p / 2n, 1n << BigInt(below(254))]
    const number = below(2) === 0 ? wide() : one(near) + BigInt(below(7) - 3)
    return ((number % p) + p) % p
  }
  return { wide, below, one, field, pair: () => [field(), field()] }
}
