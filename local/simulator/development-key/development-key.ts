import { fileURLToPath } from 'node:url'
import { findPackagedFile } from '../../../lib/runtime/ready-made.ts'
import { type CircuitName, type DevelopmentKey, keyFilesIn } from './key-files.ts'

type Options = {
  /** The folder that keeps the key between starts. */
  folder?: string
  /** Called with a description of each slow step. */
  progress?: (message: string) => void
}

/** The names of the keys' folders in `.cache` and in the npm package. */
const FOLDERS: Record<CircuitName, string> = {
  personhood: 'development-key',
  credential: 'development-key-4',
}

/**
 * Returns the key for simulated proofs of protocol 3.0, which is the same on every machine. The npm package contains the
 * key; in the repository, the first use makes it in some seconds.
 *
 * Anyone can forge proofs for this key, so no production app may accept it.
 */
export function developmentKey(options?: Options): Promise<DevelopmentKey> {
  return keyOfCircuit('personhood', options)
}

/** Returns the key for simulated proofs of protocol 4.0. All that holds for `developmentKey` holds for this key. */
export function developmentKey4(options?: Options): Promise<DevelopmentKey> {
  return keyOfCircuit('credential', options)
}

async function keyOfCircuit(
  circuit: CircuitName,
  {
    folder = fileURLToPath(new URL('../../../.cache/', import.meta.url)),
    progress = () => {},
  }: Options = {},
): Promise<DevelopmentKey> {
  const packagedKey = findPackagedFile(FOLDERS[circuit])
  if (packagedKey) return keyFilesIn(packagedKey, circuit)
  const { makeDevelopmentKey } = await import('./make-development-key.ts')
  const place = { cache: folder, name: FOLDERS[circuit] }
  return keyFilesIn(await makeDevelopmentKey(circuit, place, progress), circuit)
}
