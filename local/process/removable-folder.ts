import { existsSync, mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Creates a folder and its parent folders, unless they exist.
 *
 * @param names the names of entries that the caller may create in the folder later
 * @returns a function that removes the entries that did not exist before, and the created folders that are empty
 */
export function createRemovableFolder(folder: string, names: readonly string[]): () => void {
  const outermost = mkdirSync(folder, { recursive: true })
  const newPaths = names.map((name) => join(folder, name)).filter((path) => !existsSync(path))
  return () => {
    for (const path of newPaths) rmSync(path, { recursive: true, force: true })
    if (outermost === undefined) return
    for (let current = folder; current.length >= outermost.length; current = dirname(current))
      if (!removeIfEmpty(current)) return
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
