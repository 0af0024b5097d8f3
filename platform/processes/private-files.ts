import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Lets only this user read a folder: 0700 for the folders in it, 0600 for files, also for those that an earlier version
 * made with wider modes.
 *
 * @param options.mode of the folder itself
 * @param options.except the name of an entry that belongs to another account
 */
export function makePrivate(
  folder: string,
  { mode = 0o700, except }: { mode?: number; except?: string } = {},
): void {
  chmodSync(folder, mode)
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = lstatSync(path)
    if (name === except || found.isSymbolicLink()) continue
    if (found.isDirectory()) makePrivate(path)
    else chmodSync(path, 0o600)
  }
}
