import { poseidon1 } from 'poseidon-lite/poseidon1'
import { poseidon2 } from 'poseidon-lite/poseidon2'
import { hashToField } from '../../lib/proof/encoding.ts'

/** The two secrets of a person. */
export type Identity = { nullifier: bigint; trapdoor: bigint }

/** A simulated person: the same seed is the same person everywhere. */
export function simulatedIdentity(seed: string): Identity {
  return {
    nullifier: hashToField(`nullifier of ${seed}`),
    trapdoor: hashToField(`trapdoor of ${seed}`),
  }
}

/** The commitment to a person's secrets, which is a leaf of the group's tree. */
export function identityCommitment({ nullifier, trapdoor }: Identity): bigint {
  return poseidon1([poseidon2([nullifier, trapdoor])])
}

/** The nullifier hash: the one number that a person has for one purpose. */
export function personNullifierHash({ nullifier }: Identity, externalNullifier: bigint): bigint {
  return poseidon2([externalNullifier, nullifier])
}
