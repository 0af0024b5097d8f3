import { createHash } from 'node:crypto'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedFolder } from '../../lib/cached-folder.ts'
import { circuitSources, compileCircuit, compilerDescription } from './circuit.ts'
import { readR1cs } from './r1cs.ts'
import { setUpKeys } from './setup.ts'
import { toxicWaste } from './toxic-waste.ts'

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

type Options = {
  /** Where results are kept from one start to the next. */
  folder?: string
  /** Called with what is being done, when it takes long. */
  progress?: (message: string) => void
}

/**
 * The key for simulated proofs, the same on every machine; made on first use, which takes some seconds.
 *
 * Proofs under it mean nothing, so no production app may accept it.
 */
export async function developmentKey({
  folder = fileURLToPath(new URL('../../.cache/', import.meta.url)),
  progress = () => {},
}: Options = {}): Promise<DevelopmentKey> {
  const name = `development-key-${await digestOfInputs()}`
  const made = await cachedFolder(join(folder, name), (unfinished) =>
    makeDevelopmentKey(unfinished, progress),
  )
  return keyFilesIn(made)
}

function keyFilesIn(folder: string): DevelopmentKey {
  return {
    verificationKeyFile: join(folder, 'verification-key.json'),
    zkeyFile: join(folder, 'personhood.zkey'),
    wasmFile: join(folder, 'personhood.wasm'),
    signalFactorsFile: join(folder, 'signal-factors.json'),
  }
}

async function makeDevelopmentKey(folder: string, progress: (message: string) => void) {
  const workshop = await mkdtemp(join(tmpdir(), 'personhood-circuit-'))
  const files = keyFilesIn(folder)
  try {
    progress('Compiling the circuit of the development key')
    await Promise.all([
      compileCircuit(TREE_DEPTH, 'wasm', workshop).then((wasm) => copyFile(wasm, files.wasmFile)),
      compileCircuit(TREE_DEPTH, 'r1cs', workshop).then((r1cs) => makeKeys(r1cs, files, progress)),
    ])
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

async function makeKeys(
  r1cs: string,
  { zkeyFile, verificationKeyFile, signalFactorsFile }: DevelopmentKey,
  progress: (message: string) => void,
) {
  progress('Computing the development key')
  const keys = await setUpKeys(readR1cs(await readFile(r1cs)), toxicWaste)
  await writeFile(zkeyFile, keys.zkey)
  await writeFile(verificationKeyFile, JSON.stringify(keys.verificationKey, null, 2))
  await writeFile(signalFactorsFile, JSON.stringify(keys.signalFactors.map(String)))
}

const SETUP_SOURCES = [
  'r1cs.ts',
  'qap.ts',
  'fixed-base.ts',
  'setup.ts',
  'zkey.ts',
  'toxic-waste.ts',
]

/** The key's name depends on all its inputs, so that an outdated key is never used. */
async function digestOfInputs(): Promise<string> {
  const hash = createHash('sha256').update(String(TREE_DEPTH))
  const setup = SETUP_SOURCES.map((source) => fileURLToPath(new URL(source, import.meta.url)))
  for (const file of [...circuitSources, compilerDescription, ...setup])
    hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 16)
}
