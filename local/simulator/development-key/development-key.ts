import { fileURLToPath } from 'node:url'
import { findPackagedFile } from '../../../lib/runtime/ready-made.ts'
import { type DevelopmentKey, keyFilesIn } from './key-files.ts'

type Options = {
  /** The folder that keeps the key between starts. */
  folder?: string
  /** Called with a description of each slow step. */
  progress?: (message: string) => void
}

/**
 * Returns the key for simulated proofs, which is the same on every machine. The npm package contains the key; in the
 * repository, the first use makes it in some seconds.
 *
 * Anyone can forge proofs for this key, so no production app may accept it.
 */
export async function developmentKey({
  folder = fileURLToPath(new URL('../../../.cache/', import.meta.url)),
  progress = () => {},
}: Options = {}): Promise<DevelopmentKey> {
  const packagedKey = findPackagedFile('development-key')
  if (packagedKey) return keyFilesIn(packagedKey)
  const { makeDevelopmentKey } = await import('./make-development-key.ts')
  return keyFilesIn(await makeDevelopmentKey(folder, progress))
}
