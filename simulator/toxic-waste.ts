import { createHash } from 'node:crypto'
import { r } from '../proof/field.ts'

/**
 * The secrets of the development key.
 *
 * A real ceremony makes them so that nobody ever knows them. These are written here for everybody: the
 * key comes out the same on every machine, and proofs can be forged at will. That is what it is for.
 */
export const toxicWaste = {
  tau: secret('tau'),
  alpha: secret('alpha'),
  beta: secret('beta'),
  /** Never changed by any ceremony that works as snarkjs does. */
  gamma: 1n,
  delta: secret('delta'),
}

export type ToxicWaste = typeof toxicWaste

function secret(name: string): bigint {
  const digest = createHash('sha512').update(`personhood development key 1/${name}`).digest('hex')
  return BigInt(`0x${digest}`) % r
}
