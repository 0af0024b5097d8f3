import { groth16 } from 'snarkjs'
import { externalNullifier, hashToField } from '../../lib/proof/encoding.ts'
import type { Protocol3Signals } from '../../lib/proof/pairing/verification-key.ts'
import type { VerificationLevel } from '../../lib/proof/verification-level.ts'
import type { DevelopmentKey } from './development-key/key-files.ts'
import { personNullifierHash } from './identity.ts'
import type { Member } from './people.ts'
import { proofFromSnarkjs } from './snarkjs-proof.ts'
import { type VerificationRequest, verificationRequest } from './verification-request.ts'

/** The purpose of a proof. */
export type Purpose = {
  appId: string
  action: string
  /** The verification level of the person, `orb` by default. The proof is for the group of this level. */
  level?: VerificationLevel | undefined
  /** The text to which the proof is bound; `0x` and hex digits mean bytes. */
  signal?: string | undefined
  /** The hash of the signal, if only the hash is known. */
  signalHash?: bigint | undefined
}

/** Creates a function that makes proofs with this key, as a wallet does. */
export function createProver(key: ProvingKey) {
  return (member: Member, purpose: Purpose) => proveMembership(member, purpose, key)
}

type ProvingKey = Pick<DevelopmentKey, 'zkeyFile' | 'wasmFile'>

/** Makes a proof of a group member for a purpose. Takes about a second. */
export async function proveMembership(
  member: Member,
  purpose: Purpose,
  key: ProvingKey,
): Promise<VerificationRequest> {
  const signals = publicSignals(member, purpose)
  const { proof, publicSignals: computedSignals } = await groth16.fullProve(
    witnessInputs(member, signals),
    key.wasmFile,
    key.zkeyFile,
    undefined,
    undefined,
    { singleThread: true },
  )
  if (computedSignals.join() !== signals.join())
    throw new Error(
      `The circuit computed the public signals ${computedSignals.join()} instead of ${signals.join()}.`,
    )
  return verificationRequest(purpose, proofFromSnarkjs(proof), signals)
}

function publicSignals(
  { identity, group }: Member,
  { appId, action, signal = '', signalHash = hashToField(signal) }: Purpose,
): Protocol3Signals {
  const external = externalNullifier(appId, action)
  return [group.root, personNullifierHash(identity, external), signalHash, external]
}

function witnessInputs(
  { identity, group, index }: Member,
  [, , signal, external]: Protocol3Signals,
) {
  return {
    identityNullifier: identity.nullifier,
    identityTrapdoor: identity.trapdoor,
    ...group.path(index),
    signalHash: signal,
    externalNullifier: external,
  }
}
