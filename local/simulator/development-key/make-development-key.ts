import { createHash } from 'node:crypto'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedFolder } from '../../caches/cached-folder.ts'
import { circuitSources, compileCircuit, compilerDescription } from './circuit.ts'
import { type DevelopmentKey, keyFilesIn, TREE_DEPTH } from './key-files.ts'
import { readR1cs } from './r1cs.ts'
import { setUpKeys } from './setup.ts'
import { toxicWaste } from './toxic-waste.ts'

/**
 * Makes the development key in a subfolder of `cache`, unless it exists.
 *
 * @returns the folder of its files
 */
export async function makeDevelopmentKey(
  cache: string,
  progress: (message: string) => void,
): Promise<string> {
  const name = `development-key-${await digestOfInputs()}`
  return cachedFolder(join(cache, name), (draft) => makeKeyFiles(draft, progress))
}

async function makeKeyFiles(folder: string, progress: (message: string) => void) {
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

/** Returns a digest of the circuit, of the compiler's version and of this setup. A change of them makes a new key. */
async function digestOfInputs(): Promise<string> {
  const hash = createHash('sha256').update(String(TREE_DEPTH))
  const setup = SETUP_SOURCES.map((source) => fileURLToPath(new URL(source, import.meta.url)))
  for (const file of [...circuitSources, compilerDescription, ...setup])
    hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 16)
}
