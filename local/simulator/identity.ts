import { poseidon1 } from 'poseidon-lite/poseidon1'
import { poseidon2 } from 'poseidon-lite/poseidon2'
import { hashToField } from '../../lib/proof/encoding.ts'

/** The two secrets of a person. */
export type Identity = { nullifier: bigint; trapdoor: bigint }

/** Creates a simulated person. The same seed always gives the same person. */
export function simulatedIdentity(seed: string): Identity {
  return {
    nullifier: hashToField(`nullifier of ${seed}`),
    trapdoor: hashToField(`trapdoor of ${seed}`),
  }
}

/** Returns the commitment to a person's secrets, a leaf of the group's tree. */
export function identityCommitment({ nullifier, trapdoor }: Identity): bigint {
  return poseidon1([poseidon2([nullifier, trapdoor])])
}

/** Returns the nullifier of a person for a purpose. */
export function personNullifierHash({ nullifier }: Identity, externalNullifier: bigint): bigint {
  return poseidon2([externalNullifier, nullifier])
}
