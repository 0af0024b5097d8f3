import {
  existsSync,
  type FSWatcher,
  lstatSync,
  readdirSync,
  realpathSync,
  statSync,
  watch,
} from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'

/**
 * Calls `onChange` for each change in a folder and its subfolders.
 *
 * @returns a function that stops watching
 */
export function watchFolder(folder: string, onChange: () => void): () => void {
  // On Linux, Node's recursive watcher watches each file. It misses changes of a file that has replaced another file.
  return process.platform === 'linux'
    ? watchEachFolder(folder, onChange)
    : watchRecursively(folder, onChange)
}

function watchRecursively(folder: string, onChange: () => void): () => void {
  if (!existsSync(folder)) return () => {}
  const watcher = watch(folder, { recursive: true }, onChange).on('error', () => {})
  return () => watcher.close()
}

/** Watches each folder, and the parent of the first folder, because that folder may be created or replaced later. */
function watchEachFolder(root: string, onChange: () => void): () => void {
  const watchers = createWatchers()

  const openEntry = (path: string) =>
    ignoreMissing(() => {
      // Links to folders are not followed below the first folder, because they can form a circle.
      if (path !== root && isLink(path)) openLink(path)
      else if (statSync(path).isDirectory()) openFolder(path)
    })
  const openFolder = (path: string) => {
    watchers.open(path, path, (event, name) => {
      const entry = join(path, name)
      if (event === 'rename') {
        watchers.close(entry)
        openEntry(entry)
      }
      onChange()
    })
    // The list is read after the watcher has started, so a new entry is in the list or has an event.
    for (const name of readdirSync(path)) openEntry(join(path, name))
  }
  const openLink = (path: string) => {
    const target = realpathSync(path)
    watchers.open(path, dirname(target), (_event, name) => {
      if (name === basename(target)) onChange()
    })
  }

  const parent = dirname(root)
  ignoreMissing(() =>
    watchers.open(parent, parent, (event, name) => {
      if (name !== basename(root) || event !== 'rename') return
      watchers.close(root)
      openEntry(root)
      onChange()
    }),
  )
  openEntry(root)
  return () => watchers.close(parent)
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink()
}

/** Creates a set of watchers. `close` closes the watchers of a path and of all paths below it. */
function createWatchers() {
  const watchers = new Map<string, FSWatcher>()
  return {
    open(path: string, folder: string, onEvent: (event: string, name: string) => void) {
      const watcher = watch(folder, (event, name) => onEvent(event, name ?? ''))
      // An error ends only this watcher. The engine keeps running.
      watcher.on('error', () => {})
      watchers.set(path, watcher)
    },
    close(path: string) {
      for (const [watchedPath, watcher] of watchers) {
        if (watchedPath !== path && !watchedPath.startsWith(join(path, sep))) continue
        watcher.close()
        watchers.delete(watchedPath)
      }
    },
  }
}

/** Calls `act`, which may find that a file has been deleted since its event. */
function ignoreMissing(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
  }
}
