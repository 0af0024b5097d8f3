import { existsSync, mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Makes a folder, with those above it, unless it exists.
 *
 * @param names of the entries that may be made in it from now on
 * @returns a function that removes the entries and the folders that did not exist before, as far as these folders are empty
 */
export function undoFolder(folder: string, names: readonly string[]): () => void {
  const outermost = mkdirSync(folder, { recursive: true })
  const made = names.map((name) => join(folder, name)).filter((path) => !existsSync(path))
  return () => {
    for (const path of made) rmSync(path, { recursive: true, force: true })
    if (outermost === undefined) return
    for (let each = folder; each.length >= outermost.length; each = dirname(each))
      if (!removeIfEmpty(each)) return
  }
}

function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}
