import { existsSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** In bytes. PostgreSQL's log of changes grows by files of 16 MB, so it finds no room before all is used. */
const LEAST_ROOM = 32 * 1024 ** 2

/**
 * Names the file systems that have no room left, among those that some paths are on.
 *
 * @returns a sentence for each full file system; empty where none is full
 */
export function explainFullDisks(paths: readonly string[]): string[] {
  const found = paths.map((path) => realpathSync(existing(path)))
  // Of several paths on a file system the first is named.
  const byMount = new Map(found.reverse().map((path) => [mountPoint(path), path]))
  return [...byMount].flatMap(([mount, path]) => {
    const { bavail, blocks, bsize } = statfsSync(path)
    if (bavail * bsize >= LEAST_ROOM) return []
    return `The file system at ${mount} is full (${megabytes(bavail * bsize)} of ${megabytes(blocks * bsize)} MB free), and ${path} is on it. Free some space there.`
  })
}

/** A path, or the innermost folder above it that exists: a start that is refused removes what it made. */
function existing(path: string): string {
  return existsSync(path) ? path : existing(dirname(path))
}

/** The outermost folder above a path that is on the same device. */
function mountPoint(path: string): string {
  const above = dirname(path)
  return above === path || statSync(above).dev !== statSync(path).dev ? path : mountPoint(above)
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1024 ** 2)
}
