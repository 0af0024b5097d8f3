import { join } from 'node:path'

/** The depth of the Merkle tree of people; the same as in the production circuit. */
export const TREE_DEPTH = 30

/** Where the parts of the development key are. */
export type DevelopmentKey = {
  /** For verifiers; as snarkjs writes it. */
  verificationKeyFile: string
  /** For provers: the proving key, and the program that computes a witness. */
  zkeyFile: string
  wasmFile: string
  /** For forgers: the scalars behind the verification key's IC points, as a JSON list of texts. */
  signalFactorsFile: string
}

/** The parts of the development key that is in a folder. */
export function keyFilesIn(folder: string): DevelopmentKey {
  return {
    verificationKeyFile: join(folder, 'verification-key.json'),
    zkeyFile: join(folder, 'personhood.zkey'),
    wasmFile: join(folder, 'personhood.wasm'),
    signalFactorsFile: join(folder, 'signal-factors.json'),
  }
}
