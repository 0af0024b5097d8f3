import { chmodSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '../../lib/runtime/error-code.ts'

/**
 * The folder of root that PostgreSQL's account can enter. It contains data directories and copied programs. Only root can
 * create a folder in /var/lib, so no other account can have prepared this folder. In /var/tmp any account could, and
 * systemd removes old files there.
 */
const ROOT_FOLDER = '/var/lib/embedded-postgres'

/** Returns the path of an entry of the folder, which may not exist yet. */
export function inRootFolder(name: string): string {
  return join(ROOT_FOLDER, name)
}

/**
 * Creates root's folder and an entry in it, unless they exist. Other accounts can pass through both folders, but not
 * list or change them.
 *
 * @param name the name of the entry; undefined to create only root's folder
 * @throws Error with a message for the user if another account can change one of the folders
 */
export function makeRootFolder(name?: string): void {
  mkdirSync(dirname(ROOT_FOLDER), { recursive: true })
  makePassableFolder(ROOT_FOLDER)
  if (name !== undefined) makePassableFolder(inRootFolder(name))
}

/** Removes root's folder if it is empty. */
export function removeEmptyRootFolder(): void {
  try {
    rmdirSync(ROOT_FOLDER)
  } catch {
    // The folder contains other data, or does not exist.
  }
}

function makePassableFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
    // Not set by `mkdir`, because the umask would restrict the mode.
    chmodSync(folder, 0o711)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    requireRootOnly(folder)
  }
}

/**
 * Requires a folder that only root can change. Does not follow links, because another account may have created the
 * link or its target.
 */
function requireRootOnly(folder: string): void {
  const entry = lstatSync(folder)
  if (entry.isDirectory() && entry.uid === process.getuid?.() && (entry.mode & 0o022) === 0) return
  throw new Error(
    `${folder} must be a folder that only root can change, because it contains PostgreSQL's programs and data. Remove ${folder}.`,
  )
}
