import { join } from 'node:path'

/** The depth of the Merkle tree of people; the same as in the production circuit. */
export const TREE_DEPTH = 30

/** The files of the development key. */
export type DevelopmentKey = {
  /** The verification key in snarkjs' format, for verifiers. */
  verificationKeyFile: string
  /** The proving key, and the program that computes a witness, for provers. */
  zkeyFile: string
  wasmFile: string
  /** The scalars behind the verification key's IC points as a JSON list of texts, for forgers. */
  signalFactorsFile: string
}

/** Returns the files of the development key in a folder. */
export function keyFilesIn(folder: string): DevelopmentKey {
  return {
    verificationKeyFile: join(folder, 'verification-key.json'),
    zkeyFile: join(folder, 'personhood.zkey'),
    wasmFile: join(folder, 'personhood.wasm'),
    signalFactorsFile: join(folder, 'signal-factors.json'),
  }
}
