import { hash } from 'node:crypto'
import { existsSync, lstatSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Account, canEnter, closedFolder } from '../process/account.ts'
import { inRootFolder, makeRootFolder, removeEmptyRootFolder } from './root-folder.ts'

/**
 * The place of a data directory that PostgreSQL's account can reach: the directory itself, or, where root started this
 * process and that account cannot enter the folder around it, a folder of root's elsewhere. A link in the place of the
 * directory then leads there (docs/decisions/project/0121-postgresql-for-root.md).
 *
 * @param folder of the data directory; the folder around it exists
 * @returns the data directory, which is still to be made on first use
 * @throws Error with a sentence for the person at the terminal
 */
export function placeCluster(folder: string, account: Account, remedy: string): string {
  const around = dirname(folder)
  // The link stayed, and the data did not: a container that was made anew, for one.
  if (readLink(folder) !== null && !existsSync(folder)) rmSync(folder)
  if (canEnter(around, account)) return folder
  const home = homeOf(folder)
  const cluster = join(inRootFolder(home), 'cluster')
  const link = readLink(folder)
  if (link === null && existsSync(folder))
    throw new Error(
      `PostgreSQL does not run as root, and the account it runs as instead cannot enter ${closedFolder(around, account)}. Start as another user, or choose another folder. ${remedy}`,
    )
  if (link !== null && link !== cluster)
    throw new Error(
      `${folder} leads to ${link}, the data of another folder: this folder was copied or moved. Move it back, or begin again with --fresh. ${remedy}`,
    )
  if (link === null) {
    // The data folder that this belonged to was deleted, and its password with it.
    rmSync(inRootFolder(home), { recursive: true, force: true })
    makeRootFolder(home)
    symlinkSync(cluster, folder)
  } else makeRootFolder(home)
  return cluster
}

/** Removes a data directory, also where it is a link to another place. */
export function removeCluster(folder: string): void {
  if (process.getuid?.() === 0 && existsSync(dirname(folder))) {
    rmSync(inRootFolder(homeOf(folder)), { recursive: true, force: true })
    removeEmptyRootFolder()
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Another path is another home: a copy of a data folder must not share the cluster of the original. */
function homeOf(folder: string): string {
  const path = join(realpathSync(dirname(folder)), basename(folder))
  return hash('sha256', path).slice(0, 32)
}

/** Where a link leads; null if there is none. */
function readLink(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null
}
