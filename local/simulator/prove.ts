import { groth16 } from 'snarkjs'
import { externalNullifier, hashToField } from '../../lib/proof/encoding.ts'
import type { Signals } from '../../lib/proof/pairing/verification-key.ts'
import type { VerificationLevel } from '../../lib/proof/verification-level.ts'
import type { DevelopmentKey } from './development-key/key-files.ts'
import { personNullifierHash } from './identity.ts'
import type { Member } from './people.ts'
import { proofFromSnarkjs } from './snarkjs-proof.ts'
import { type VerificationRequest, verificationRequest } from './verification-request.ts'

/** What a proof is made for. */
export type Purpose = {
  appId: string
  action: string
  /** How the person was verified, `orb` by default: their proof is for the group of this level. */
  level?: VerificationLevel | undefined
  /** The text that the proof is bound to; `0x` and hex digits stand for bytes. */
  signal?: string
  /** Its hash instead, where only that is known. */
  signalHash?: bigint
}

/** Proves with this key, as wallets do. */
export function createProver(key: ProvingKey) {
  return (member: Member, purpose: Purpose) => proveMembership(member, purpose, key)
}

type ProvingKey = Pick<DevelopmentKey, 'zkeyFile' | 'wasmFile'>

/** Makes a proof that a member of the group acts for this purpose; takes about a second. */
export async function proveMembership(
  member: Member,
  purpose: Purpose,
  key: ProvingKey,
): Promise<VerificationRequest> {
  const signals = publicSignals(member, purpose)
  const { proof, publicSignals: proven } = await groth16.fullProve(
    witnessInputs(member, signals),
    key.wasmFile,
    key.zkeyFile,
    undefined,
    undefined,
    { singleThread: true },
  )
  if (proven.join() !== signals.join())
    throw new Error('The circuit computed unexpected public signals.')
  return verificationRequest(purpose, proofFromSnarkjs(proof), signals)
}

function publicSignals(
  { identity, group }: Member,
  { appId, action, signal = '', signalHash = hashToField(signal) }: Purpose,
): Signals {
  const external = externalNullifier(appId, action)
  return [group.root, personNullifierHash(identity, external), signalHash, external]
}

function witnessInputs({ identity, group, index }: Member, [, , signal, external]: Signals) {
  return {
    identityNullifier: identity.nullifier,
    identityTrapdoor: identity.trapdoor,
    ...group.path(index),
    signalHash: signal,
    externalNullifier: external,
  }
}
