import { existsSync, watch } from 'node:fs'
import type { Project } from '../../project/project.ts'

/** An editor writes a file in several steps, and a branch is changed by many files. */
const QUIET_MS = 100

/**
 * Calls `onChange` whenever files of the metadata or migrations have changed, once they are quiet, and never while an
 * earlier call is still at work.
 *
 * @returns a function that stops watching
 */
export function watchProject(
  { metadataDir, migrationsDir }: Project,
  onChange: () => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | undefined
  let atWork: Promise<void> = Promise.resolve()
  const notice = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      atWork = atWork.then(onChange)
    }, QUIET_MS)
  }
  const watchers = [metadataDir, migrationsDir]
    .filter((folder) => existsSync(folder))
    // A folder that goes away, as with another branch, is not watched any more; the engine goes on.
    .map((folder) => watch(folder, { recursive: true }, notice).on('error', () => {}))
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
