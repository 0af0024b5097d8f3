import { hashToField } from '../../../lib/proof/encoding.ts'
import type { PublicKey } from '../../../lib/proof/protocol-4/public-signals.ts'

/**
 * Returns the public key of a simulated issuer.
 *
 * A real issuer signs credentials with the key. A simulated issuer puts its credentials into the Merkle tree instead, so any
 * two numbers will do. A proof is bound to them like a real proof.
 */
export function issuerKey(issuerSchemaId: bigint): PublicKey {
  return simulatedKey(`issuer ${issuerSchemaId}`)
}

/** Returns the OPRF key of a relying party, which like `issuerKey` is any two numbers. */
export function oprfKeyOf(rpId: bigint): PublicKey {
  return simulatedKey(`relying party ${rpId}`)
}

function simulatedKey(owner: string): PublicKey {
  return { x: hashToField(`x of the key of ${owner}`), y: hashToField(`y of the key of ${owner}`) }
}
