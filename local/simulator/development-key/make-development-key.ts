import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cachedFolder } from '../../caches/cached-folder.ts'
import { compilerDescription } from './circuit-packages.ts'
import { type Circuit, credentialCircuit, personhoodCircuit } from './circuits.ts'
import { compileCircuit } from './compile-circuit.ts'
import { type CircuitName, keyFilesIn, TREE_DEPTH } from './key-files.ts'

const CIRCUITS: Record<CircuitName, Circuit> = {
  personhood: personhoodCircuit(TREE_DEPTH),
  credential: credentialCircuit(TREE_DEPTH),
}

/**
 * Makes a circuit's development key in a subfolder of `cache`, unless it exists.
 *
 * @param name the beginning of the subfolder's name
 * @returns the folder of its files
 */
export async function makeDevelopmentKey(
  circuit: CircuitName,
  { cache, name }: { cache: string; name: string },
  progress: (message: string) => void,
): Promise<string> {
  const folder = join(cache, `${name}-${await digestOfInputs(CIRCUITS[circuit])}`)
  return cachedFolder(folder, (draft) => makeKeyFiles(circuit, draft, progress))
}

async function makeKeyFiles(
  circuit: CircuitName,
  folder: string,
  progress: (message: string) => void,
) {
  const workshop = await mkdtemp(join(tmpdir(), `${circuit}-circuit-`))
  const files = keyFilesIn(folder, circuit)
  try {
    progress(`Compiling the ${circuit} circuit of the development key`)
    const { r1cs, wasm } = await compileCircuit(CIRCUITS[circuit], workshop)
    await copyFile(wasm, files.wasmFile)
    progress('Computing the development key')
    await promisify(execFile)(process.execPath, [SETUP_PROGRAM, r1cs, folder, circuit])
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

const SETUP_PROGRAM = fileURLToPath(new URL('./set-up-program.ts', import.meta.url))

const SETUP_SOURCES = [
  'r1cs.ts',
  'qap.ts',
  'fixed-base.ts',
  'setup.ts',
  'zkey.ts',
  'toxic-waste.ts',
]

/** Returns a digest of the circuit, of the compiler's version and of this setup. A change of them makes a new key. */
async function digestOfInputs({ main, sources }: Circuit): Promise<string> {
  const hash = createHash('sha256').update(main)
  const setup = SETUP_SOURCES.map((source) => fileURLToPath(new URL(source, import.meta.url)))
  for (const file of [...sources, compilerDescription, ...setup]) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 16)
}
