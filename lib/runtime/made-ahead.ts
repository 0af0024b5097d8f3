import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Where the package has something that these sources make on first use, such as compiled contracts (packages/platform/build.mjs puts
 * it there).
 *
 * @returns the path of the file or folder; null in the sources, which make it themselves
 */
export function madeAhead(name: string): string | null {
  const path = fileURLToPath(new URL(`../../made/${name}`, import.meta.url))
  return existsSync(path) ? path : null
}
