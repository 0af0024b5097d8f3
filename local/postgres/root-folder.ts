import { chmodSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '../../lib/runtime/error-code.ts'

/**
 * What root keeps for the account that PostgreSQL runs as. Only root can make a folder here, so no other account can have
 * prepared this one; in /var/tmp any account could, and systemd removes old files there one by one.
 */
const ROOT_FOLDER = '/var/lib/embedded-postgres'

/** The path of an entry of the folder, which may not exist yet. */
export function inRootFolder(name: string): string {
  return join(ROOT_FOLDER, name)
}

/**
 * Makes a folder, and the folder of all of root's, unless they exist. Other accounts can pass through both, and no more.
 *
 * @param name a name in the folder of all; undefined for that folder
 * @throws Error with a sentence where another account can change what is in one of them
 */
export function makeRootFolder(name?: string): void {
  mkdirSync(dirname(ROOT_FOLDER), { recursive: true })
  makePassage(ROOT_FOLDER)
  if (name !== undefined) makePassage(inRootFolder(name))
}

/** Removes the folder of all, if nothing is in it. */
export function removeEmptyRootFolder(): void {
  try {
    rmdirSync(ROOT_FOLDER)
  } catch {
    // Other data is in it, or it does not exist.
  }
}

function makePassage(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
    // Not by `mkdir`, whose mode the umask narrows.
    chmodSync(folder, 0o711)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    requireOwn(folder)
  }
}

/** A link is not followed: another account may have made it, or the folder that it leads to. */
function requireOwn(folder: string): void {
  const entry = lstatSync(folder)
  if (entry.isDirectory() && entry.uid === process.getuid?.() && (entry.mode & 0o022) === 0) return
  throw new Error(
    `${folder} must be a folder of root's that no other account can change, since PostgreSQL's programs and data are kept in it. Remove ${folder}.`,
  )
}
