import { createHash } from 'node:crypto'
import { r } from '../../../lib/proof/field.ts'

/**
 * The secrets of the development key.
 *
 * In a real ceremony nobody ever learns them. These are public: the key comes out the same on every
 * machine, and proofs can be forged at will, which is its purpose.
 */
export const toxicWaste = {
  tau: publicSecret('tau'),
  alpha: publicSecret('alpha'),
  beta: publicSecret('beta'),
  /** Always 1 in a ceremony of snarkjs. */
  gamma: 1n,
  delta: publicSecret('delta'),
}

export type ToxicWaste = typeof toxicWaste

function publicSecret(name: string): bigint {
  const digest = createHash('sha512').update(`personhood development key 1/${name}`).digest('hex')
  return BigInt(`0x${digest}`) % r
}
