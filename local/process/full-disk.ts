import { existsSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The free space below which a disk counts as full, in bytes. PostgreSQL's write-ahead log grows by files of 16 MB,
 * so PostgreSQL fails before the disk is completely full.
 */
const LEAST_ROOM = 32 * 1024 ** 2

/**
 * Explains which file systems of the given paths are full.
 *
 * @returns a sentence for each full file system
 */
export function explainFullDisks(paths: readonly string[]): string[] {
  const realPaths = paths.map((path) => realpathSync(nearestExisting(path)))
  // For several paths on a file system, the sentence names the first.
  const pathsByMount = new Map(realPaths.reverse().map((path) => [mountPoint(path), path]))
  return [...pathsByMount].flatMap(([mount, path]) => {
    const { bavail, blocks, bsize } = statfsSync(path)
    if (bavail * bsize >= LEAST_ROOM) return []
    return `The file system at ${mount} is full (${megabytes(bavail * bsize)} of ${megabytes(blocks * bsize)} MB free), and it contains ${path}. Free some space.`
  })
}

/**
 * Returns the path, or its nearest existing parent folder, because a failed start removes the files that it created.
 */
function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path))
}

/** Returns the outermost parent folder on the same device. */
function mountPoint(path: string): string {
  const above = dirname(path)
  return above === path || statSync(above).dev !== statSync(path).dev ? path : mountPoint(above)
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1024 ** 2)
}
