import { join } from 'node:path'

/** The depth of the Merkle trees of people and of credentials; the same as in the production circuits. */
export const TREE_DEPTH = 30

/** The circuits of simulated people: `personhood` for protocol 3.0, and `credential` for protocol 4.0. */
export type CircuitName = 'personhood' | 'credential'

/** The inputs of the circuit of protocol 4.0 that are public signals, in the order of the protocol. */
export const CREDENTIAL_SIGNALS = [
  'nullifier',
  'issuerSchemaId',
  'issuerKeyX',
  'issuerKeyY',
  'expiresAtMin',
  'genesisIssuedAtMin',
  'merkleRoot',
  'treeDepth',
  'rpId',
  'action',
  'oprfKeyX',
  'oprfKeyY',
  'signalHash',
  'nonce',
  'sessionId',
] as const

/** The files of a development key. */
export type DevelopmentKey = {
  /** The verification key in snarkjs' format, for verifiers. */
  verificationKeyFile: string
  /** The proving key, and the program that computes a witness, for provers. */
  zkeyFile: string
  wasmFile: string
  /** The scalars behind the verification key's IC points as a JSON list of texts, for forgers. */
  signalFactorsFile: string
}

/** Returns the files of a circuit's development key in a folder. */
export function keyFilesIn(folder: string, circuit: CircuitName): DevelopmentKey {
  return {
    verificationKeyFile: join(folder, 'verification-key.json'),
    zkeyFile: join(folder, `${circuit}.zkey`),
    wasmFile: join(folder, `${circuit}.wasm`),
    signalFactorsFile: join(folder, 'signal-factors.json'),
  }
}
