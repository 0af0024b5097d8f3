import type { Project } from '../../project/project.ts'
import { watchFolder } from './watch-folder.ts'

/** The time without a change before `onChange` is called. Editors write a file in several steps, and a new branch changes many files. */
const QUIET_MS = 100

/**
 * Calls `onChange` after files of the metadata or migrations have changed, once no file has changed for `QUIET_MS`. Calls never
 * overlap.
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
  const endings = [metadataDir, migrationsDir].map((folder) => watchFolder(folder, notice))
  return () => {
    clearTimeout(timer)
    for (const stopWatching of endings) stopWatching()
  }
}
