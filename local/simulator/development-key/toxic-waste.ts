import { createHash } from 'node:crypto'
import { r } from '../../../lib/proof/field.ts'

/**
 * The secrets of the development key.
 *
 * In a real ceremony they stay secret. These secrets are public, so that the key is the same on every machine and
 * tests can forge proofs.
 */
export const toxicWaste = {
  tau: publicSecret('tau'),
  alpha: publicSecret('alpha'),
  beta: publicSecret('beta'),
  /** Always 1 in snarkjs' ceremonies. */
  gamma: 1n,
  delta: publicSecret('delta'),
}

export type ToxicWaste = typeof toxicWaste

function publicSecret(name: string): bigint {
  const digest = createHash('sha512').update(`personhood development key 1/${name}`).digest('hex')
  return BigInt(`0x${digest}`) % r
}
