import { hash } from 'node:crypto'
import { existsSync, lstatSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Account, canEnter, closedFolder } from '../process/account.ts'
import { inRootFolder, makeRootFolder, removeEmptyRootFolder } from './root-folder.ts'

/**
 * Returns a data directory that PostgreSQL's account can reach. This is the folder itself, or a folder in root's folder
 * if root runs this process and PostgreSQL's account cannot enter the parent folder. In the second case, `folder`
 * becomes a link to the data directory (docs/decisions/project/0121-postgresql-for-root.md).
 *
 * @param folder the data directory; its parent folder must exist
 * @returns the data directory, which does not exist before the first use
 * @throws Error with a message for the user at the terminal
 */
export function placeCluster(folder: string, account: Account, remedy: string): string {
  const parent = dirname(folder)
  // The link exists but the data does not, for example in a recreated container.
  if (readLink(folder) !== null && !existsSync(folder)) rmSync(folder)
  if (canEnter(parent, account)) return folder
  const home = homeOf(folder)
  const cluster = join(inRootFolder(home), 'cluster')
  const link = readLink(folder)
  if (link === null && existsSync(folder))
    throw new Error(
      `PostgreSQL cannot run as root, and its account cannot enter ${closedFolder(parent, account)}. Start as another user, or choose another folder. ${remedy}`,
    )
  if (link !== null && link !== cluster)
    throw new Error(
      `${folder} is a link to ${link}, the data of another folder, because this folder was copied or moved. Move it back, or start with --fresh. ${remedy}`,
    )
  if (link === null) {
    // Removes the data of a deleted data folder. The password for this data was deleted with the folder.
    rmSync(inRootFolder(home), { recursive: true, force: true })
    makeRootFolder(home)
    symlinkSync(cluster, folder)
  } else makeRootFolder(home)
  return cluster
}

/** Removes a data directory, even if it is a link to another folder. */
export function removeCluster(folder: string): void {
  if (process.getuid?.() === 0 && existsSync(dirname(folder))) {
    rmSync(inRootFolder(homeOf(folder)), { recursive: true, force: true })
    removeEmptyRootFolder()
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Returns a name that depends on the path, because a copy of a data folder must not share the original's cluster. */
function homeOf(folder: string): string {
  const path = join(realpathSync(dirname(folder)), basename(folder))
  return hash('sha256', path).slice(0, 32)
}

/** Returns the target of a link; null if the path is not a link. */
function readLink(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null
}
