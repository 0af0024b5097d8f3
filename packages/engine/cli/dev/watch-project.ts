import { existsSync, watch } from 'node:fs'
import type { Project } from '../../project/project.ts'

/** Editors write a file in several steps, and another branch changes many files. */
const QUIET_MS = 100

/**
 * Calls `onChange` after files of the metadata or migrations have changed, once no file changes any more. Calls never overlap.
 *
 * @returns a function that stops watching
 */
export function watchProject(
  { metadataDir, migrationsDir }: Project,
  onChange: () => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | undefined
  let lastCall: Promise<void> = Promise.resolve()
  const notice = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      lastCall = lastCall.then(onChange)
    }, QUIET_MS)
  }
  const watchers = [metadataDir, migrationsDir]
    .filter((folder) => existsSync(folder))
    // A deleted folder, as on another branch, is no longer watched; the engine keeps running.
    .map((folder) => watch(folder, { recursive: true }, notice).on('error', () => {}))
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
