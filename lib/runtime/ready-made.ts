import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Finds a file or folder that the npm package contains ready-made, like compiled contracts
 * (packages/platform/build.mjs makes them).
 *
 * @returns its path; null in a checkout of the sources, where the caller makes it on first use
 */
export function findPackagedFile(name: string): string | null {
  const path = fileURLToPath(new URL(`../../made/${name}`, import.meta.url))
  return existsSync(path) ? path : null
}
