import type { WorldIdContracts } from '../../../lib/chain/world-id-contracts.ts'
import { protocol4Proof } from '../../../lib/proof/examples/protocol-4-proofs.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import type { SubmittedProof4 } from '../../../lib/verification/protocol-4/decode-proof.ts'
import type { WorldChainState } from './world-chain.ts'

/** Returns a public proof of protocol 4.0 as a caller sends it. */
export function submittedProof4(name: 'uniqueness' | 'session'): SubmittedProof4 {
  const { words } = protocol4Proof(name)
  const { nullifier, issuer, expires, genesis, rpId, action, signalHash, nonce, session } =
    publicInputs(name)
  return {
    isStaging: false,
    rpId,
    action,
    nullifier: hex(nullifier),
    nonce: hex(nonce),
    signalHash: hex(signalHash),
    issuerSchemaId: issuer,
    expiresAtMin: expires,
    credentialGenesisIssuedAtMin: genesis,
    sessionId: session,
    proof: words,
    callers: ['app'],
  }
}

/** Returns the facts of a chain on which the public proofs are valid. */
export function factsOfPublicProofs(): Partial<WorldChainState> {
  const { issuer, issuerKey, root, treeDepth, rpId, oprfKey } = publicInputs('uniqueness')
  return {
    treeDepth,
    roots: new Set([root]),
    issuers: new Map([[issuer, issuerKey]]),
    oprfKeys: new Map([[rpId, oprfKey]]),
  }
}

/** The time at which the public proofs were made, in seconds since the epoch. */
export const PUBLIC_PROOF_TIME = Number(publicInputs('uniqueness').expires)

/** Returns the named public inputs of a public proof. */
function publicInputs(name: string) {
  const { signals } = protocol4Proof(name)
  const at = (index: number) => requireValue(signals[index], `signal ${index}`)
  return {
    nullifier: at(0),
    issuer: at(1),
    issuerKey: { x: at(2), y: at(3) },
    expires: at(4),
    genesis: at(5),
    root: at(6),
    treeDepth: at(7),
    rpId: at(8),
    action: at(9),
    oprfKey: { x: at(10), y: at(11) },
    signalHash: at(12),
    nonce: at(13),
    session: at(14),
  }
}

function hex(n: bigint): string {
  return `0x${n.toString(16)}`
}

/** The functions of the contracts that a cross-check or a lookup calls, each of which fails unless it is replaced. */
export function fakeContracts(functions: Partial<WorldIdContracts>): WorldIdContracts {
  const fail = () => Promise.reject(new Error('the chain is away'))
  return {
    confirmChain: fail,
    readSettings: fail,
    isValidRoot: fail,
    issuerKey: fail,
    oprfKey: fail,
    accepts: fail,
    ...functions,
  }
}
