import { type CircuitInputs, groth16 } from 'snarkjs'
import type { Proof } from '../../../lib/proof/encoding.ts'
import {
  type Protocol4Inputs,
  protocol4Signals,
} from '../../../lib/proof/protocol-4/public-signals.ts'
import type { SessionId } from '../../../lib/proof/protocol-4/session-id.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import {
  CREDENTIAL_SIGNALS,
  type DevelopmentKey,
  TREE_DEPTH,
} from '../development-key/key-files.ts'
import { proofFromSnarkjs } from '../snarkjs-proof.ts'
import type { TreeMember } from './credential-tree.ts'
import { type Credential, holderNullifier, sessionRandomness } from './holder.ts'
import { issuerKey, oprfKeyOf } from './issuers.ts'

/** The purpose of a proof of protocol 4.0: what the relying party asks for. */
export type Purpose4 = {
  rpId: bigint
  /** The action of a uniqueness proof, or the random action of a session proof. */
  action: bigint
  /** The session of a session proof; null for a uniqueness proof. */
  session: SessionId | null
  nonce: bigint
  signalHash: bigint
  expiresAtMin: bigint
  genesisIssuedAtMin: bigint
}

/** The statement of a proof: the public inputs, and the private inputs behind them. */
export type Statement = { inputs: Protocol4Inputs; secrets: Secrets }

type Secrets = {
  secret: bigint
  expiresAt: bigint
  genesisIssuedAt: bigint
  sessionRandomness: bigint
  isRight: number[]
  sibling: bigint[]
}

/** Returns the statement that a person proves with a credential for a purpose. */
export function credentialStatement(
  { holder: { secret }, tree, indexOf }: TreeMember,
  credential: Credential,
  { rpId, action, session, ...purpose }: Purpose4,
): Statement {
  const { issuerSchemaId, expiresAt, genesisIssuedAt } = credential
  const inputs = {
    nullifier: holderNullifier(secret, rpId, action),
    issuerSchemaId,
    issuerKey: issuerKey(issuerSchemaId),
    expiresAtMin: purpose.expiresAtMin,
    credentialGenesisIssuedAtMin: purpose.genesisIssuedAtMin,
    merkleRoot: tree.root,
    treeDepth: BigInt(TREE_DEPTH),
    rpId,
    action,
    oprfKey: oprfKeyOf(rpId),
    signalHash: purpose.signalHash,
    nonce: purpose.nonce,
    sessionId: session?.commitment ?? 0n,
  }
  const randomness = session ? sessionRandomness(secret, rpId, session.oprfSeed) : 0n
  const path = tree.path(indexOf(credential.name))
  return {
    inputs,
    secrets: { secret, expiresAt, genesisIssuedAt, sessionRandomness: randomness, ...path },
  }
}

/** Makes a proof of a statement. */
export type ProveStatement = (statement: Statement) => Promise<Proof>

/** Creates a function that makes proofs of protocol 4.0 with this key, as a wallet does. A proof takes about a second. */
export function createCredentialProver({
  wasmFile,
  zkeyFile,
}: Pick<DevelopmentKey, 'wasmFile' | 'zkeyFile'>): ProveStatement {
  return async (statement) => {
    const options = { singleThread: true }
    const { proof } = await groth16.fullProve(
      circuitInputs(statement),
      wasmFile,
      zkeyFile,
      undefined,
      undefined,
      options,
    )
    return proofFromSnarkjs(proof)
  }
}

/** Returns the inputs of the circuit by name. */
export function circuitInputs({ inputs, secrets }: Statement): CircuitInputs {
  const signals = protocol4Signals(inputs)
  const publicInput = (name: string, index: number) =>
    [name, requireValue(signals[index], 'the signal')] as const
  return { ...Object.fromEntries(CREDENTIAL_SIGNALS.map(publicInput)), ...secrets }
}
