import { fileURLToPath } from 'node:url'
import { findReadyMade } from '../../../lib/runtime/ready-made.ts'
import { type DevelopmentKey, keyFilesIn } from './key-files.ts'

type Options = {
  /** Where results are kept from one start to the next. */
  folder?: string
  /** Called with what is being done, when it takes long. */
  progress?: (message: string) => void
}

/**
 * The key for simulated proofs, the same on every machine. The package has it; from the sources it is made on first use,
 * which takes some seconds.
 *
 * Proofs under it mean nothing, so no production app may accept it.
 */
export async function developmentKey({
  folder = fileURLToPath(new URL('../../../.cache/', import.meta.url)),
  progress = () => {},
}: Options = {}): Promise<DevelopmentKey> {
  const made = findReadyMade('development-key')
  if (made) return keyFilesIn(made)
  const { makeDevelopmentKey } = await import('./make-development-key.ts')
  return keyFilesIn(await makeDevelopmentKey(folder, progress))
}
