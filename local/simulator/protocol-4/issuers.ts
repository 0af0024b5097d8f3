import { hashToField } from '../../../lib/proof/encoding.ts'
import type { PublicKey } from '../../../lib/proof/protocol-4/public-signals.ts'

/**
 * The credentials that simulated issuers give: the name in requests of IDKit, and the issuer schema id on the chain.
 *
 * @see https://github.com/worldcoin/idkit (rust/core/src/types.rs, at 2cd8a918)
 */
export const CREDENTIALS = {
  proof_of_human: 1n,
  selfie: 11n,
  passport: 9303n,
  mnc: 9310n,
} as const

export type CredentialName = keyof typeof CREDENTIALS

export const CREDENTIAL_NAMES = ['proof_of_human', 'selfie', 'passport', 'mnc'] as const

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
